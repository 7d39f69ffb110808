// One file is the whole program: copied away, without an environment, beside files that pretend to be its own.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary, project } from '../../lib/aide.mjs';
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, expect, expectDecided, expectSuccess, submit, test } from '../../lib/test.ts';

const answers = [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }];

function copiedInto(dir: string) {
  const program = join(dir, 'aide');
  copyFileSync(binary, program);
  return program;
}

test('the binary alone, with an empty environment, serves the page that hydrates', async ({ page, start, open }) => {
  const dir = project();
  const waiting = await start(auth, { dir, program: copiedInto(dir), env: {} });
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, answers);
});

test('nothing in the folder or the environment takes the place of what is inside', async ({ page, start, open }) => {
  const dir = project();
  const site = join(dir, 'target/site/pkg');
  mkdirSync(site, { recursive: true });
  for (const name of ['aide.js', 'aide.wasm', 'aide.css', 'app.js', 'app.wasm', 'style.css'])
    writeFileSync(join(site, name), 'throw new Error("not mine")');
  writeFileSync(join(dir, 'Cargo.toml'), '[[workspace.metadata.leptos]]\nname = "other"\nsite-root = "target/site"\n');
  writeFileSync(join(dir, '.env'), 'LEPTOS_SITE_ROOT=target/site\n');
  const env = {
    LEPTOS_OUTPUT_NAME: 'other',
    LEPTOS_SITE_ROOT: join(dir, 'target/site'),
    LEPTOS_SITE_PKG_DIR: 'pkg',
    LEPTOS_SITE_ADDR: '127.0.0.1:1',
    LEPTOS_HASH_FILES: 'true',
    LEPTOS_WATCH: 'ON',
  };
  const waiting = await start(auth, { dir, program: copiedInto(dir), env });
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, answers);
});

test('the page asks for its WASM and for nothing else, and nothing moves when it wakes up', async ({ page, start, open }) => {
  const waiting = await start(questions(6));
  const asked: string[] = [];
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    // The icon is a data URL, and the requests for news do not count.
    if (protocol === 'http:' && !pathname.startsWith('/fn/')) asked.push(pathname);
  });
  await page.addInitScript(() => {
    const shifts: number[] = Object.assign(window, { shifts: [] }).shifts;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push((entry as any).value)))
      .observe({ type: 'layout-shift', buffered: true });
  });
  await open(page, waiting.url);
  await expect(page.locator('[data-current]')).toHaveAttribute('id', 'item-1');
  // Two frames, so that what has moved has been drawn, and told.
  const shifts = await page.evaluate(() => new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => resolve((window as any).shifts)))));
  expect(shifts).toEqual([]);
  expect(asked).toEqual(['/', '/app.wasm']);
});
