// Answering with keys alone.
import { expectAccessible } from '../../lib/axe.ts';
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, hydrated, isSubmission, item, kept, note, radio, submit, test, type Page } from '../../lib/test.ts';

/** The one question that the page shows as the current one. */
const current = (page: Page) => page.locator('[data-current]');
const expectCurrent = (page: Page, id: number) => expect(current(page)).toHaveAttribute('id', `item-${id}`);

/** Presses one key after the other; how many that were. Keys that are held down count as well. */
async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
  return keys.flatMap((key) => key.split('+')).length;
}

/** Whether an element is in the window, and not behind the bar. */
const isInSight = (page: Page, selector: string) => page.locator(selector).evaluate((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  const bar = document.querySelector('.bar')?.getBoundingClientRect().top ?? innerHeight;
  return top >= 0 && bottom <= bar;
});

test('on a fresh page the first question is current, and nothing takes the focus or moves', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expectCurrent(page, 1);
  expect(await page.evaluate(() => [document.activeElement === document.body, scrollY])).toEqual([true, 0]);
  await press(page, '2');
  await expect(radio(page, 1, 'session')).toBeChecked();
  await press(page, 'x');
  await expect(page.locator('#item-1 input:checked')).toHaveCount(0);
  await press(page, 'r');
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await press(page, 'n');
  await expect(note(page, 1)).toBeFocused();
});

test('the list of keys is opened without moving the page', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  await press(page, '?');
  await expect(page.locator('#keys .panel')).toBeInViewport({ ratio: 1 });
  // Where it moved it did so when it was drawn next.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('of a form that is filled in partly, the first open question is current', async ({ page, start, open }) => {
  const waiting = await start(questions(3));
  await open(page, waiting.url);
  const first = kept(page, '"options":[1]');
  await press(page, '2');
  await first;
  await page.reload();
  await hydrated(page);
  await expectCurrent(page, 2);
});

test('what was touched last is current: by the pointer, by a link, by the focus', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  await item(page, 2).locator('.item-context').click();
  await expectCurrent(page, 2);
  await page.locator('#rail-7').click();
  await expectCurrent(page, 7);
  await press(page, '1');
  await expect(radio(page, 7, 'memory')).toBeChecked();
  await note(page, 5).focus();
  await expectCurrent(page, 5);
  await press(page, 'Escape', 'j');
  await expectCurrent(page, 6);
  // Elsewhere it stays the one that it was.
  await page.locator('#review-btn').focus();
  await expectCurrent(page, 6);
  await expect(current(page)).toHaveCount(1);
});

test('a question out of sight is brought into view before a key changes it', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  await page.mouse.wheel(0, 3000);
  await expect(item(page, 1)).not.toBeInViewport();
  await press(page, '2');
  await expect(item(page, 1).locator('legend')).toBeInViewport();
  await expect(page.locator('#item-1 input:checked')).toHaveCount(0);
  await press(page, '2');
  await expect(radio(page, 1, 'redis')).toBeChecked();
});

test('a key that opens a field leads into it, wherever that is, and what is typed next is text', async ({ page, start, open }) => {
  const waiting = await start({ ...questions(12), items: questions(12).items.map((item) => ({ ...item, allow_other: item.id === 1 })) });
  await open(page, waiting.url);
  await press(page, '1');
  const checked = () => page.locator('.item input:checked').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).name + (input as HTMLInputElement).value));
  for (const [key, field] of [['n', '#note-1'], ['o', '#other-1'], ['3', '#other-1'], ['i', '#return-message'], ['b', '#return-message']] as const) {
    await page.mouse.wheel(0, 9000);
    await expect(item(page, 1)).not.toBeInViewport();
    await press(page, key);
    await expect(page.locator(field), key).toBeFocused();
    await expect.poll(() => isInSight(page, field), key).toBe(true);
    await page.keyboard.type('add x');
    await expect(page.locator(field), key).toHaveValue(/add x/);
    expect(await checked(), key).toEqual(key === 'o' || key === '3' ? ['item-12'] : [key === 'n' ? 'item-10' : 'item-12']);
    await press(page, 'Escape');
  }
  // A question without a field of its own for that has its note.
  await press(page, 'j', 'o');
  await expect(note(page, 2)).toBeFocused();
});

test('Ctrl+Enter without a reason says so, and leaves the focus where the reason is to be written', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await press(page, '2', 'i');
  await page.keyboard.type('  ');
  await press(page, 'Control+Enter');
  await expect(page.locator('#return-error')).toHaveText('请填写退回原因');
  await expect(page.locator('#return-error')).toHaveRole('alert');
  await expect(page.locator('#return-message')).toBeFocused();
  await page.keyboard.type('d');
  await expect(page.locator('#return-message')).toHaveValue('  d');
  await expect(radio(page, 1, 'session')).toBeChecked();
});

test('u undoes what keys and clicks have changed, as often as wanted, and the bar says what', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, `${waiting.url}/?lang=en`);
  const line = page.locator('#changed');
  await expect(line).toHaveRole('status');
  await expect(line).toBeHidden();
  const progress = page.locator('#progress-text');
  await press(page, '2');
  await expect(line).toHaveText('Answer to 1 changed · u undoes it');
  await press(page, 'd');
  await expect(line).toHaveText('Answer to 1 cleared · u undoes it');
  await expect(progress).toHaveText('0 of 12 answered');
  await press(page, 'u');
  await expect(line).toHaveText('Undone: Answer to 1 cleared');
  await expect(radio(page, 1, 'redis')).toBeChecked();
  await expect(radio(page, 1, 'redis')).toBeFocused();
  await expect(progress).toHaveText('1 of 12 answered');
  // With the arrows, which belong to the browser.
  await press(page, 'ArrowDown');
  await expect(radio(page, 1, 'memory')).toBeChecked();
  await expect(line).toHaveText('Answer to 1 changed · u undoes it');
  // With the mouse: that is seen.
  await choose(page, 2, 'redis');
  await expect(line).toBeHidden();
  await press(page, 'a');
  await expect(line).toHaveText('10 answers changed · u undoes it');
  await press(page, 'i');
  await expect(line).toHaveText('Send-back list changed · Esc, u undoes it');
  await press(page, 'Escape');
  for (const [left, checked] of [[12, 12], [2, 2], [1, 1], [1, 1], [0, 0]] as const) {
    await press(page, 'u');
    await expect(progress).toHaveText(`${left} of 12 answered`);
    await expect(page.locator('#decide .item input:checked')).toHaveCount(checked);
  }
  await expect(page.locator('#return input:checked')).toHaveCount(0);
  await press(page, 'u');
  await expect(progress).toHaveText('0 of 12 answered');
  const draft = kept(page, '"id":12');
  await press(page, ...'UUUU');
  await expect(progress).toHaveText('12 of 12 answered');
  await draft;
  // Also what was done before the page was loaded anew.
  await page.reload();
  await hydrated(page);
  await press(page, 'u');
  await expect(progress).toHaveText('2 of 12 answered');
  await press(page, 'Control+Enter');
  await expect(page.locator('#item-3 input:focus')).toHaveCount(1);
});

test('a key that is held down acts once, and writes nothing into the field it has opened', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  // What the driver presses again without letting go is what a keyboard repeats.
  const hold = async (key: string) => {
    for (let time = 0; time < 5; time += 1) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await press(page, '1', 'j', '1', 'j', '1', 'k', 'k');
  await hold('d');
  await expect(page.locator('.item input:checked')).toHaveCount(2);
  await expectCurrent(page, 2);
  await hold('n');
  await expect(note(page, 2)).toBeFocused();
  await expect(note(page, 2)).toHaveValue('');
  // Typed there, a key repeats as anywhere.
  await hold('x');
  await expect(note(page, 2)).toHaveValue('xxxxx');
  await press(page, 'Escape');
  await hold('j');
  await expectCurrent(page, 7);
  // The one out of sight is only shown.
  await page.mouse.wheel(0, -6000);
  await expect(item(page, 7)).not.toBeInViewport();
  await hold('2');
  await expect(item(page, 7).locator('legend')).toBeInViewport();
  await expect(page.locator('#item-7 input:checked')).toHaveCount(0);
});

test('a digit leads on where the person wants it to: ten answers in twelve keys', async ({ page, start, open }) => {
  const waiting = await start(questions(10));
  await open(page, waiting.url);
  const digits = ['1', '2', '2', '1', '2', '1', '1', '2', '1', '2'];
  await press(page, '?');
  const advance = page.getByRole('checkbox', { name: '按数字选择后自动转到下一项' });
  await expect(advance).not.toBeChecked();
  await advance.check();
  await press(page, '?');
  // It is remembered.
  await page.reload();
  await hydrated(page);
  const keys = await press(page, ...digits, 'Control+Enter');
  expect(keys).toBe(12);
  await expectSuccess(page);
  await expectDecided(waiting, digits.map((digit, index) => ({ id: index + 1, chosen: digit === '1' ? 'memory' : 'redis' })));
});

test('a digit stays where there is more to choose or to write, and everywhere once it is not to lead on', async ({ page, start, open }) => {
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
  const waiting = await start({
    task: 't', source: 's',
    items: [
      { id: 1, title: 'several', options, multiple: true },
      { id: 2, title: 'own', options, allow_other: true },
      { id: 3, title: 'one', options },
    ] as never,
  });
  await open(page, waiting.url);
  await press(page, '?');
  await page.locator('#advance').check();
  await press(page, 'Escape', '1', '3');
  await expectCurrent(page, 1);
  await expect(page.locator('#item-1 input:checked')).toHaveCount(2);
  await press(page, 'j', '4');
  await expect(page.locator('#other-2')).toBeFocused();
  await page.keyboard.type('12');
  await expect(page.locator('#other-2')).toHaveValue('12');
  await press(page, 'Escape', '1');
  await expectCurrent(page, 3);
  await press(page, 'k', '?');
  await page.locator('#advance').uncheck();
  await press(page, 'Escape', '2');
  await expectCurrent(page, 2);
  expect(await page.evaluate(() => localStorage.getItem('aide-advance'))).toBe(null);
});

test('without a storage a digit leads on for as long as the page is there', async ({ page, start, open }) => {
  await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('no', 'SecurityError'); } }));
  const waiting = await start(questions(2));
  await open(page, waiting.url);
  await press(page, '?');
  await page.locator('#advance').check();
  await press(page, '?', '1', '2', 'Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'memory' }, { id: 2, chosen: 'redis' }]);
});

test('j, k, digits, n, Esc and Ctrl+Enter answer everything', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const { keyboard } = page;
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

test('h, l and brackets move, d leaves for later, i names what is sent back, and Ctrl+Enter sends it', async ({ page, start, open }) => {
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
  await keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('已退回');
  expect((await waiting.done).code).toBe(1);
  expect(Object.values(waiting.records())[0].returned).toEqual({ message: '多少用户？ijdhl[]', items: [2] });
});

test('i and b open what sends back, Esc leads out of it again, and nothing that was written is lost', async ({ page, start, open }) => {
  const waiting = await start(questions(4));
  await open(page, waiting.url);
  const panel = page.locator('#return');
  const ticked = () => panel.locator('input:checked').evaluateAll((boxes) => boxes.map((box) => Number((box as HTMLInputElement).value)));
  await press(page, 'i');
  await expect(page.locator('#return-message')).toBeFocused();
  await expect.poll(() => isInSight(page, '#return-message')).toBe(true);
  expect(await ticked()).toEqual([1]);
  await press(page, 'Escape');
  await expect(panel).not.toHaveAttribute('open');
  await expect(page.locator('#item-1 input:focus')).toHaveCount(1);
  // Of the question that is current now; the other was not said anything about.
  await press(page, 'j', 'i');
  expect(await ticked()).toEqual([2]);
  await page.keyboard.type('b?');
  await press(page, 'Escape');
  await expect(panel).toHaveAttribute('open');
  await expect(page.locator('#item-2 input:focus')).toHaveCount(1);
  await press(page, 'j', 'i');
  expect(await ticked()).toEqual([2, 3]);
  await expect(page.locator('#return-message')).toHaveValue('b?');
  await press(page, 'Escape', 'b');
  await expect(page.locator('#return-message')).toBeFocused();
  expect(await ticked()).toEqual([]);
  // What is typed beside the field for the reason is not meant for the questions.
  for (const beside of [panel.locator('summary'), panel.locator('input').first(), page.locator('#return-btn')]) {
    await beside.focus();
    await press(page, 'j', '2', 'd', 'a', 'u', 'x');
    await expect(beside).toBeFocused();
    await expect(page.locator('.item input:checked')).toHaveCount(0);
  }
  await press(page, 'Escape');
  await expect(page.locator('#item-3 input:focus')).toHaveCount(1);
  await press(page, '2');
  await expect(radio(page, 3, 'redis')).toBeChecked();
  await press(page, 'b', 'Control+Enter');
  await waiting.done;
  expect(Object.values(waiting.records())[0].returned).toEqual({ message: 'b?' });
});

test('Enter on a box of what is sent back submits nothing', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await press(page, 'i');
  await page.locator('#return input').first().focus();
  await press(page, 'Enter');
  await expect(page.locator('#return input').first()).toBeFocused();
  expect(waiting.running).toBe(true);
});

test('a takes every recommendation that is still open', async ({ page, start, open }) => {
  const waiting = await start(questions(3));
  await open(page, waiting.url);
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

test('Ctrl+Enter too early says once what is open, and leads to the first of it', async ({ page, start, open }) => {
  const waiting = await start(questions(10));
  await open(page, waiting.url);
  for (const id of [1, 2, 3, 5, 7, 9]) await choose(page, id, 'memory');
  await press(page, 'Control+Enter');
  const toast = page.locator('#error-toast');
  await expect(toast).toHaveText('还有 4 项未完成: 第 4, 6, 8, 10 项');
  await expect(toast).toHaveRole('alert');
  // The sentence on the button is for who cannot see that it is grey.
  expect((await page.locator('#submit-hint').boundingBox())?.height).toBeLessThanOrEqual(1);
  await expect(page.locator('#item-4 input:focus')).toHaveCount(1);
  expect([await isInSight(page, '#item-4 legend'), await isInSight(page, '#item-4 .options-list')]).toEqual([true, true]);
  await page.keyboard.press('1');
  await expect(toast).toBeEmpty();
  expect(waiting.running).toBe(true);
  expect(waiting.records()).toEqual({});
});

test('a click on Submit too early leads to what is missing: the field where that is to be written', async ({ page, start, open }) => {
  const waiting = await start({
    task: 't', source: 's',
    items: [
      ...questions(6).items,
      { id: 7, title: 'words', kind: 'text', options: [] },
      { id: 8, title: 'own', options: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }], allow_other: true } as never,
    ],
  });
  await open(page, waiting.url);
  await expect(submit(page)).toHaveAttribute('aria-disabled', 'true');
  await submit(page).click({ force: true });
  await expect(page.locator('#error-toast')).toHaveText('还有 8 项未完成: 第 1, 2, 3, 4, 5 … 项');
  await expect(page.locator('#item-1 input:focus')).toHaveCount(1);
  await press(page, 'a');
  await page.evaluate(() => scrollTo(0, 0));
  await submit(page).click({ force: true });
  await expect(page.locator('#error-toast')).toHaveText('还有 2 项未完成: 第 7, 8 项');
  await expect(page.locator('#other-7')).toBeFocused();
  await expect.poll(() => isInSight(page, '#other-7')).toBe(true);
  await page.keyboard.type('ax');
  await expect(page.locator('#other-7')).toHaveValue('ax');
  // An answer of one's own that is chosen and not written.
  await press(page, 'Escape', 'j', '3', 'Escape');
  await submit(page).click({ force: true });
  await expect(page.locator('#other-8')).toBeFocused();
  expect(waiting.records()).toEqual({});
});

test('of many that are open the first few are named', async ({ page, start, open }) => {
  const waiting = await start(questions(12));
  await open(page, `${waiting.url}/?lang=en`);
  await press(page, 'Control+Enter');
  await expect(page.locator('#error-toast')).toHaveText('Not answered yet: no. 1, 2, 3, 4, 5 …');
  await expect(page.locator('#item-1 input:focus')).toHaveCount(1);
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
  await expectCurrent(page, 1);
  expect([await folded(1), await folded(2), await folded(7)]).toEqual([false, true, true]);
  await page.keyboard.press('2');
  await page.keyboard.press('j');
  await expect(item(page, 2).locator('input:focus')).toHaveCount(1);
  expect([await folded(1), await folded(2), await folded(7)]).toEqual([true, false, true]);
  // The list beside the questions leads to any of them.
  await page.locator('#rail-7').click();
  await expect.poll(() => folded(7)).toBe(false);
  await expect(item(page, 7).locator('legend')).toBeInViewport();
  await item(page, 9).locator('legend').click();
  await expect.poll(() => folded(9)).toBe(false);
  expect(await folded(7)).toBe(true);
  await page.keyboard.press('v');
  expect([await folded(1), await folded(2), await folded(3)]).toEqual([false, false, false]);
  await expect(item(page, 1).locator('input:checked')).toHaveCount(1);
});
