// Keys that are pressed before the WASM has arrived: they wait for it, and mean then what they mean later.
import { auth, questions } from '../../lib/inputs.mjs';
import { choose, expect, expectDecided, expectSuccess, hydrated, item, note, radio, test, type Page } from '../../lib/test.ts';

/** Opens a page whose WASM arrives when the function that this returns is called. */
async function openEarly(page: Page, url: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/*.wasm', async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest('**/*.wasm');
  await page.goto(url);
  await asked;
  await expect(page.locator('html')).not.toHaveAttribute('data-hydrated');
  return async () => {
    release();
    await hydrated(page).catch(() => {});
  };
}

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

test('each key does once the page is awake what it does later', async ({ page, start }) => {
  const cases: [string[], (page: Page) => Promise<void>][] = [
    [['2'], (page) => expect(radio(page, 1, 'redis')).toBeChecked()],
    [['j', '2'], (page) => expect(radio(page, 2, 'redis')).toBeChecked()],
    [['l', ']', 'k', '1'], (page) => expect(radio(page, 2, 'memory')).toBeChecked()],
    [['l', ']', 'h', '[', '1'], (page) => expect(radio(page, 1, 'memory')).toBeChecked()],
    [['r'], (page) => expect(radio(page, 1, 'memory')).toBeChecked()],
    [['a'], (page) => expect(page.locator('#decide .item input:checked')).toHaveCount(3)],
    [['a', 'x'], (page) => expect(page.locator('#decide .item input:checked')).toHaveCount(2)],
    [['a', 'd', '2'], (page) => expect(radio(page, 2, 'redis')).toBeChecked()],
    [['a', 'u'], (page) => expect(page.locator('#decide .item input:checked')).toHaveCount(0)],
    [['a', 'u', 'U'], (page) => expect(page.locator('#decide .item input:checked')).toHaveCount(3)],
    [['n'], (page) => expect(note(page, 1)).toBeFocused()],
    [['o'], (page) => expect(note(page, 1)).toBeFocused()],
    [['j', 'i'], (page) => expect(page.locator('#return input:checked')).toHaveValue('2')],
    [['b'], (page) => expect(page.locator('#return-message')).toBeFocused()],
    [['b', 'Escape'], (page) => expect(page.locator('#return')).not.toHaveAttribute('open')],
    [['?'], (page) => expect(page.locator('#keys')).toHaveAttribute('open')],
    [['v'], (page) => expect(page.locator('#items-container')).toHaveAttribute('open')],
    [['c'], (page) => page.locator('#review').waitFor()],
    [['Control+Enter'], (page) => expect(page.locator('#error-toast')).toHaveText('还有 3 项未完成: 第 1, 2, 3 项')],
  ];
  const waiting = await start(questions(3));
  for (const [keys, expected] of cases) {
    await test.step(keys.join(' '), async () => {
      const context = await page.context().browser()!.newContext({ locale: 'zh-CN' });
      const fresh = await context.newPage();
      const wake = await openEarly(fresh, waiting.url);
      // Not on the server's page of another case.
      await fresh.route('**/fn/draft', (route) => route.abort());
      await press(fresh, ...keys);
      const awake = wake();
      // This leads to another page.
      if (keys[0] !== 'c') await awake;
      await expected(fresh);
      await context.close();
    });
  }
});

test('what is typed after a key that opens a field is text, and after Esc it is keys', async ({ page, start }) => {
  const waiting = await start(questions(3));
  const wake = await openEarly(page, waiting.url);
  await press(page, 'j', 'n');
  await page.keyboard.type('xa d2');
  await press(page, 'Backspace', 'Enter');
  await page.keyboard.type('u');
  await press(page, 'Escape', '2');
  await wake();
  await expect(note(page, 2)).toHaveValue('xa d\nu');
  await expect(radio(page, 2, 'redis')).toBeChecked();
  await expect(page.locator('#decide .item input:checked')).toHaveCount(1);
  await expect(page.locator('#changed')).toHaveText('已更改第 2 项的答案 · 按 u 撤销');
});

test('everything is answered and submitted before the page is awake', async ({ page, start }) => {
  const waiting = await start(auth);
  const wake = await openEarly(page, waiting.url);
  await press(page, '2', 'j', 'r', 'n');
  await page.keyboard.type('jk12');
  await press(page, 'Control+Enter');
  expect(waiting.records()).toEqual({});
  await wake();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'session' }, { id: 2, chosen: 'bcrypt', note: 'jk12' }]);
});

test('what the browser does by itself it does at once, and what was clicked is undone as well', async ({ page, start }) => {
  const waiting = await start(auth);
  const wake = await openEarly(page, waiting.url);
  await page.locator('#item-1 input').first().focus();
  await press(page, 'Space');
  await press(page, 'ArrowDown');
  await expect(radio(page, 1, 'session')).toBeChecked();
  await expect(page.locator('#changed')).toHaveText('已更改第 1 项的答案 · 按 u 撤销');
  await note(page, 1).focus();
  await page.keyboard.type('u2?');
  await expect(note(page, 1)).toHaveValue('u2?');
  // Who points at something has gone on: what was pressed before is not meant any more.
  await item(page, 2).locator('legend').click();
  await press(page, '1');
  await choose(page, 2, 'argon2');
  await wake();
  await expect(note(page, 1)).toHaveValue('u2?');
  await expect(radio(page, 2, 'argon2')).toBeChecked();
  await press(page, 'u');
  await expect(page.locator('#item-2 input:checked')).toHaveCount(0);
  await expect(radio(page, 1, 'session')).toBeChecked();
  await press(page, 'u');
  await expect(radio(page, 1, 'session')).not.toBeChecked();
});

test('keys are the browser\'s again where the WASM never arrives', async ({ page, start, guard }) => {
  guard.allow(/net::ERR_FAILED/, /\.wasm$/);
  const waiting = await start(auth);
  await page.route('**/*.wasm', (route) => route.abort());
  const given = page.waitForEvent('console', (message) => message.text().includes('plain page'));
  await page.goto(waiting.url);
  await given;
  const prevented = await page.evaluate(() => ['1', 'j', 'Enter', 'Escape'].filter((key) =>
    !document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))));
  expect(prevented).toEqual([]);
});
