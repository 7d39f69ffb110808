// The budget: all that the page of the documented example loads, compressed, WASM included.
import { chromium } from '@playwright/test';
import { ask, remove } from '../lib/aide.mjs';
import { chromium as launch } from '../lib/chromium.mjs';
import { auth } from '../lib/inputs.mjs';
import { pageSize } from '../lib/page-size.mjs';

const BUDGET = 120_000;

const waiting = await ask(auth);
const browser = await chromium.launch(launch());
try {
  const { files, total } = await pageSize(browser, waiting.url);
  /** @param {string} name @param {number} bytes @param {string} remark */
  const line = (name, bytes, remark) => console.log(`${name.padEnd(16)} ${String(bytes).padStart(8)} bytes  ${remark}`);
  for (const { path, bytes, encoding } of files) line(path, bytes, encoding);
  line('total', total, `of ${BUDGET}`);
  if (total > BUDGET) {
    console.error(`the page is ${total - BUDGET} bytes over its budget`);
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  await waiting.kill();
  remove(waiting.dir);
}
