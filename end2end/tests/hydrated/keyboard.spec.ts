// Answering with keys alone.
import { expectAccessible } from '../../lib/axe.ts';
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, expect, expectDecided, expectSuccess, isSubmission, item, note, radio, submit, test } from '../../lib/test.ts';

test('j, k, digits, n, Esc and Ctrl+Enter answer everything', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const { keyboard } = page;
  await keyboard.press('j');
  await expect(page.locator('#item-1 input:focus')).toHaveCount(1);
  await keyboard.press('2');
  await expect(radio(page, 1, 'session')).toBeChecked();
  await keyboard.press('j');
  await expect(page.locator('#item-2 input:focus')).toHaveCount(1);
  await keyboard.press('k');
  await expect(page.locator('#item-1 input:focus')).toHaveCount(1);
  await keyboard.press('1');
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await keyboard.press('j');
  await keyboard.press('r');
  await expect(radio(page, 2, 'bcrypt')).toBeChecked();
  await keyboard.press('n');
  await expect(note(page, 2)).toBeFocused();
  // In a field these are letters.
  await keyboard.type('jk12ran?');
  await expect(note(page, 2)).toHaveValue('jk12ran?');
  await keyboard.press('Escape');
  await expect(note(page, 2)).not.toBeFocused();
  await expect(note(page, 2)).toHaveValue('jk12ran?');
  await keyboard.press('Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt', note: 'jk12ran?' }]);
});

test('h, l and brackets move, d leaves for later, i asks back', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const { keyboard } = page;
  const focused = (id: number) => expect(page.locator(`#item-${id} input:focus`)).toHaveCount(1);
  for (const [next, previous] of [['l', 'h'], [']', '[']] as const) {
    await page.locator('#item-1 input').first().focus();
    await keyboard.press(next);
    await focused(2);
    await keyboard.press(previous);
    await focused(1);
  }
  await keyboard.press('1');
  await keyboard.press('d');
  await expect(page.locator('#item-1 input:checked')).toHaveCount(0);
  await focused(2);
  await keyboard.press('i');
  await expect(page.locator('#return-message')).toBeFocused();
  await keyboard.type('多少用户？ijdhl[]');
  await expect(page.locator('#return-message')).toHaveValue('多少用户？ijdhl[]');
  await expect(page.getByRole('checkbox', { name: '2. 密码加密算法' })).toBeChecked();
  await page.getByRole('button', { name: '退回' }).click();
  expect((await waiting.done).code).toBe(1);
  expect(Object.values(waiting.records())[0].returned).toEqual({ message: '多少用户？ijdhl[]', items: [2] });
});

test('a takes every recommendation that is still open', async ({ page, start, open }) => {
  const waiting = await start(questions(3));
  await open(page, waiting.url);
  await page.keyboard.press('j');
  await page.keyboard.press('2');
  await expect(radio(page, 1, 'redis')).toBeChecked();
  await page.keyboard.press('a');
  await expect(page.locator('#progress-text')).toHaveText('已完成 3/3 项');
  await expect(radio(page, 1, 'redis')).toBeChecked();
  await page.keyboard.press('Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'redis' }, { id: 2, chosen: 'redis' }, { id: 3, chosen: 'memory' }]);
});

test('? shows the keys and hides them again', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const keys = page.locator('#keys dl');
  await expect(keys).toBeHidden();
  await page.keyboard.press('?');
  await expect(keys).toBeVisible();
  await expect(keys).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await page.keyboard.press('?');
  await expect(keys).toBeHidden();
});

test('Ctrl+Enter on an incomplete form submits nothing and leads to what is open', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.keyboard.press('j');
  await page.keyboard.press('1');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('#error-toast')).toContainText('请先完成所有待定项的选择');
  await expect(page.locator('#item-2 input:focus')).toHaveCount(1);
  expect(waiting.running).toBe(true);
  expect(waiting.records()).toEqual({});
});

test('Enter in an input method belongs to the input method', async ({ page, context, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  let posts = 0;
  context.on('request', (request) => {
    if (isSubmission(new URL(request.url()))) posts += 1;
  });
  await note(page, 1).focus();
  const session = await context.newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'ceshi', selectionStart: 5, selectionEnd: 5 });
  // What browsers report while the candidate window is open: composing, or the key code 229 alone.
  for (const init of [
    { isComposing: true, keyCode: 13 },
    { isComposing: true, keyCode: 13, ctrlKey: true },
    { isComposing: true, keyCode: 13, metaKey: true },
    { isComposing: false, keyCode: 229 },
    { isComposing: false, keyCode: 229, ctrlKey: true },
  ]) {
    const prevented = await note(page, 1).evaluate((field, init) =>
      !field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init })), init);
    expect(prevented, JSON.stringify(init)).toBe(false);
  }
  await session.send('Input.insertText', { text: '测试' });
  await expect(note(page, 1)).toHaveValue('测试');
  // A plain Enter is a line break.
  await page.keyboard.press('Enter');
  await page.keyboard.type('x');
  await expect(note(page, 1)).toHaveValue('测试\nx');
  expect(posts).toBe(0);

  await submit(page).click();
  await expectSuccess(page);
  expect(posts).toBe(1);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt', note: '测试\nx' }, { id: 2, chosen: 'bcrypt' }]);
});

test('shortcuts leave the browser its own', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const prevented = await page.evaluate(() =>
    ['a', 'r', 'j', 'k', 'n', '1'].filter((key) =>
      ['ctrlKey', 'metaKey', 'altKey'].some((modifier) =>
        !document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, [modifier]: true })))));
  expect(prevented).toEqual([]);
  await expect(page.locator('input[type=radio]:checked')).toHaveCount(0);
});

test('v shows one question at a time, and all of them again', async ({ page, start, open }) => {
  const waiting = await start(questions(50));
  await open(page, waiting.url);
  const folded = (id: number) => item(page, id).locator('.options-list').evaluate((list) => list.getBoundingClientRect().height === 0);
  expect(await folded(7)).toBe(false);
  await page.keyboard.press('v');
  await expect(item(page, 1).locator('input:focus')).toHaveCount(1);
  expect([await folded(1), await folded(2), await folded(7)]).toEqual([false, true, true]);
  await page.keyboard.press('2');
  await page.keyboard.press('j');
  await expect(item(page, 2).locator('input:focus')).toHaveCount(1);
  expect([await folded(1), await folded(2), await folded(7)]).toEqual([true, false, true]);
  // The list beside the questions leads to any of them.
  await page.locator('[data-rail="7"]').click();
  await expect.poll(() => folded(7)).toBe(false);
  await expect(item(page, 7).locator('legend')).toBeInViewport();
  await page.keyboard.press('v');
  expect([await folded(1), await folded(2), await folded(3)]).toEqual([false, false, false]);
  await expect(item(page, 1).locator('input:checked')).toHaveCount(1);
});
