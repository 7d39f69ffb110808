// The browser: the one that the system has, never one downloaded for the tests.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// The first has no window, and needs half the time.
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** @param {string} path */
function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How to launch it: without anything that would reach out to its vendor. */
export function chromium() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(runs);
  const executablePath = process.env['AIDE_CHROMIUM'] || found;
  if (!executablePath) throw new Error(`no Chromium: none of ${NAMES.join(', ')} is on PATH; run scripts/setup or set AIDE_CHROMIUM`);
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}
