// What is kept while it is typed: by several tabs, over a dead server, and exactly as it was left.
import type { Page } from '@playwright/test';
import { auth, type Input } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, item, kept, note, radio, submit, test, wayOut } from '../../lib/test.ts';

const refused = /\/fn\/(submit|draft|listen)$/;
const port = (url: string) => Number(new URL(url).port);

const several: Input = {
  task: '多选', source: 's.md',
  items: [
    { id: 1, title: '哪些', multiple: true, options: ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() })) } as Input['items'][number],
    { id: 2, title: '哪个', options: [{ value: 'x', label: 'X' }, { value: 'y', label: 'Y' }] },
  ],
};

const boxes = (page: Page) => item(page, 1).locator('input[type=checkbox]');
const checked = (page: Page) => boxes(page).evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));

/** Lets no draft of this page get to the server until the function that is returned is called. */
async function holdDrafts(page: Page) {
  let release = () => {};
  const released = new Promise<void>((resolve) => { release = resolve; });
  await page.route('**/fn/draft', async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

test('what one tab has kept is not undone by another', async ({ page, context, start, open }) => {
  const waiting = await start(auth);
  const other = await context.newPage();
  await open(page, waiting.url);
  await open(other, waiting.url);
  const first = kept(page, '第一个标签');
  await note(page, 1).fill('第一个标签');
  await first;
  const second = kept(other, '第二个标签');
  await note(other, 2).fill('第二个标签');
  await second;

  await open(page, waiting.url);
  await expect(note(page, 1)).toHaveValue('第一个标签');
  await expect(note(page, 2)).toHaveValue('第二个标签');
});

test('a page that was made before what was typed last has arrived shows it all the same', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const answered = page.waitForResponse('**/fn/draft', { timeout: 2_000 }).catch(() => {});
  // It is made at once, and arrives only after the answer to a draft that was sent meanwhile.
  await page.route((url) => url.searchParams.get('lang') === 'en', async (route) => {
    const response = await route.fetch();
    await answered;
    await route.fulfill({ response });
  });
  await note(page, 2).fill('zuletzt');
  await (await wayOut(page, 'language')).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(note(page, 2)).toHaveValue('zuletzt');
});

for (const then of ['is closed', 'goes on'] as const) {
  test(`a tab that has found a draft in the browser and ${then} does not undo what another went on with`, async ({ page, context, start, open }) => {
    const waiting = await start(auth);
    await open(page, waiting.url);
    // What the first tab writes does not get further than the browser at first.
    const release = await holdDrafts(page);
    const found = page.waitForRequest('**/fn/draft');
    await note(page, 2).fill('unterwegs');
    await found;

    // The second tab finds that, and its time stands still before it passes it on.
    const other = await context.newPage();
    await other.addInitScript(() => {
      const held: TimerHandler[] = [];
      const { setTimeout } = window;
      window.setTimeout = ((act: TimerHandler) => held.push(act)) as typeof window.setTimeout;
      addEventListener('time-goes-on', () => held.splice(0).forEach((act) => setTimeout(act, 0)));
    });
    await open(other, waiting.url);
    await expect(note(other, 2)).toHaveValue('unterwegs');

    const wentOn = kept(page, '"options":[1]');
    release();
    await choose(page, 2, 'argon2');
    await wentOn;
    await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    if (then === 'goes on') {
      const second = kept(other, 'anderswo');
      await note(other, 1).fill('anderswo');
      await other.evaluate(() => dispatchEvent(new Event('time-goes-on')));
      await second;
    }
    await other.goto('about:blank');
    await open(page, waiting.url);
    await expect(radio(page, 2, 'argon2')).toBeChecked();
    await expect(note(page, 2)).toHaveValue('unterwegs');
    await expect(note(page, 1)).toHaveValue(then === 'goes on' ? 'anderswo' : '');
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });
}

test('a draft that is still on its way is given up once the answers are', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const release = await holdDrafts(page);
  const sent = page.waitForRequest('**/fn/draft');
  await answerAuth(page);
  await sent;
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/fn/draft'));
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
  // The server is gone: whatever arrives now, the browser reports.
  release();
  expect((await failed).failure()?.errorText).toBe('net::ERR_ABORTED');
});

test('what was changed while nobody listened is there exactly as it was left', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(several);
  await open(page, waiting.url);
  const first = kept(page, '"options":[0,1]');
  await boxes(page).nth(0).check();
  await boxes(page).nth(1).check();
  await note(page, 2).fill('先写上');
  await first;
  await waiting.kill();
  await boxes(page).nth(0).uncheck();
  await boxes(page).nth(1).uncheck();
  await boxes(page).nth(2).check();
  await note(page, 2).fill('');
  await expect(page.locator('#draft-state')).toContainText('提问者未连接');
  await page.goto('about:blank');

  const again = await start(several, { dir: waiting.dir, port: port(waiting.url) });
  expect(again.url).toBe(waiting.url);
  const delivered = kept(page, '"options":[2]');
  await open(page, again.url);
  expect(await checked(page)).toEqual([false, false, true]);
  await expect(note(page, 2)).toHaveValue('');
  await expect(page.locator('#restored')).toHaveText(/^已恢复您( \d\d:\d\d )?的草稿$/);
  await delivered;
  // The server has it; nothing is left behind in the browser.
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await choose(page, 2, 'x');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(again, [{ id: 1, chosen: ['c'] }, { id: 2, chosen: 'x' }]);
});

test('whoever goes on writing is no longer promised that the answers are sent by themselves', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await choose(page, 2, 'bcrypt');
  await waiting.kill();
  await submit(page).click();
  await expect(page.locator('#error-toast')).toContainText('恢复连接后会自动提交');
  await note(page, 1).fill('再想想');
  await expect(page.locator('#error-toast')).toBeEmpty();
});

test('an item that has not changed keeps what was given, when the others are asked anew', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await open(page, waiting.url);
  const first = kept(page, '第一项的备注');
  await choose(page, 1, 'session');
  await choose(page, 2, 'argon2');
  await note(page, 1).fill('第一项的备注');
  await first;
  const [one, two] = auth.items;
  const corrected = { ...auth, items: [one, { ...two, title: '密码用哪种算法' }] } as Input;
  const replaced = await start(corrected, { dir: waiting.dir, port: port(waiting.url) });
  await expect(page.locator('#error-toast')).toContainText('未变动的待定项会保留您的答案');
  await page.locator('#error-toast').getByRole('link', { name: '重新载入' }).click();
  await open(page, replaced.url);
  await expect(radio(page, 1, 'session')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('第一项的备注');
  await expect(item(page, 2).locator('input:checked')).toHaveCount(0);
});
