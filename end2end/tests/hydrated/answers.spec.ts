// The hydrated page counts and keeps what is more than one choice for each item.
import { expect, expectDecided, expectSuccess, hydrated, item, submit, test } from '../../lib/test.ts';

const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
const several = { id: 1, title: 'several', options, multiple: true, min: 2, max: 2, recommend: 'b' };
const own = { id: 2, title: 'own', options, allow_other: true };
const optional = { id: 3, title: 'optional', options, required: false, recommend: 'c' };
const input = { task: 't', source: 's', items: [several, own, optional] };

test('an answer is counted before the WASM is there, and not otherwise once it is', async ({ page, context, start }) => {
  const waiting = await start(input);
  let arrive = () => {};
  const held = new Promise<void>((resolve) => (arrive = resolve));
  await context.route('**/app.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(waiting.url);
  const control = (id: number, name: string) => item(page, id).getByLabel(name, { exact: true });
  const counted = async (done: number, ...marked: number[]) => {
    await expect(page.locator('#progress-text')).toHaveText(`必答项已完成 ${done}/2 项`);
    await expect(page.locator('progress')).toHaveJSProperty('value', done);
    const ids = await page.locator('.rail a[data-done]').evaluateAll((entries) => entries.map(({ id }) => id));
    expect(ids).toEqual(marked.map((id) => `rail-${id}`));
  };
  const answer = async (...before: number[]) => {
    await control(1, 'A').check();
    await counted(0, ...before);
    await control(1, 'C').check();
    await counted(1, 1, ...before);
    await control(2, '其他').check();
    await counted(1, 1, ...before);
    await control(2, 'B').check();
    await counted(2, 1, 2, ...before);
    // What may be left open is marked, and does not count.
    await control(3, 'A').check();
    await counted(2, 1, 2, 3);
  };
  await answer();
  await control(1, 'A').uncheck();
  await counted(1, 2, 3);
  await expect(page.locator('html')).not.toHaveAttribute('data-hydrated');
  arrive();
  await hydrated(page);
  await counted(1, 2, 3);
  await control(2, '其他').check();
  await counted(0, 3);
  await control(1, 'C').uncheck();
  await answer(3);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: ['a', 'c'] }, { id: 2, chosen: 'b' }, { id: 3, chosen: 'a' }]);
});

test('an item counts once as much is chosen as it asks for', async ({ page, start, open }) => {
  const waiting = await start(input);
  await open(page, waiting.url);
  const progress = page.locator('#progress-text');
  const box = (name: string) => page.locator('#item-1').getByRole('checkbox', { name });
  await box('A').check();
  await expect(progress).toHaveText('必答项已完成 0/2 项');
  await box('B').check();
  await expect(progress).toHaveText('必答项已完成 1/2 项');
  await expect(page.locator('#rail-1')).toHaveAttribute('data-done', '');
  await box('C').check();
  await expect(progress).toHaveText('必答项已完成 0/2 项');
  await expect(page.locator('#rail-1')).not.toHaveAttribute('data-done', '');
  await box('A').uncheck();

  // Chosen without words, one's own answer is none yet; written, it is chosen.
  await page.locator('#item-2').getByRole('radio', { name: '其他' }).check();
  await expect(progress).toHaveText('必答项已完成 1/2 项');
  await expect(submit(page)).toBeDisabled();
  await page.locator('#item-2').getByRole('radio', { name: 'A' }).check();
  await page.locator('#item-2').getByLabel('其他答案').pressSequentially('新');
  await expect(page.locator('#item-2').getByRole('radio', { name: '其他' })).toBeChecked();
  await expect(progress).toHaveText('必答项已完成 2/2 项');

  await page.reload();
  await expect(progress).toHaveText('必答项已完成 2/2 项');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: ['b', 'c'] },
    { id: 2, chosen: null, other: '新' },
    { id: 3, chosen: null },
  ]);
});

test('the keyboard is enough for all of it', async ({ page, start, open }) => {
  const waiting = await start(input);
  await open(page, waiting.url);
  for (const key of ['1', '2', '1', '3']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await page.keyboard.press('o');
  await page.keyboard.type('by hand 1');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('1');
  await page.keyboard.press('x');
  await expect(page.locator('#item-3 input:checked')).toHaveValue('');
  // What is recommended fills what is open, also where nothing is required.
  await page.keyboard.press('a');
  await page.keyboard.press('Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: ['b', 'c'] },
    { id: 2, chosen: null, other: 'by hand 1' },
    { id: 3, chosen: 'c' },
  ]);
});
