// Questions that are answered with files, and what may be done with them on any page.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test, type Page, type Waiting } from './test.ts';

/** A logo or two, and one report, which need not be. */
export const asked = {
  task: 't',
  source: 's',
  items: [
    { id: 1, title: 'way', options: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }] },
    { id: 3, title: 'logos', kind: 'files', names: ['*.svg', '*.png'], min: 1, max: 2, max_bytes: 30_000_000 },
    { id: 4, title: 'report', kind: 'files', required: false, max: 1 },
  ],
};

export const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content as string),
});

/** A large file, on the disk: the browser reads it there, where one from memory would go through the test's own connection. */
export function largeFile(name: string, content: Buffer) {
  const path = test.info().outputPath(name);
  writeFileSync(path, content);
  return path;
}

/** As it stands in the record. */
export const attachment = (name: string, content: string | Buffer) => ({
  name,
  sha256: createHash('sha256').update(content).digest('hex'),
  size: Buffer.byteLength(content as string),
});

export const field = (page: Page, item: number) => page.locator(`#files-${item}`);
export const rows = (page: Page, item: number) => page.locator(`#item-${item} .files-list li`);
export const removal = (page: Page, name: string) => page.getByRole('button', { name: `移除 ${name}`, exact: true });

/** What is attached is said to be this. */
export async function expectAttached(page: Page, item: number, ...names: string[]) {
  await expect(page.locator(`#item-${item} .files-list li:not([data-job]) .file-name`)).toHaveText(names);
}

/** The files of a set on the disk, by name. */
export function onDisk(waiting: Waiting, item: number): Record<string, string> {
  const folder = join(waiting.dir, '.aide/decisions/files', waiting.pending()._meta.session_id, String(item));
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
