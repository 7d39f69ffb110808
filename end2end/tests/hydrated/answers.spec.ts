// The hydrated page counts and keeps what is more than one choice for each item.
import { expect, expectDecided, expectSuccess, submit, test } from '../../lib/test.ts';

const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
const several = { id: 1, title: 'several', options, multiple: true, min: 2, max: 2, recommend: 'b' };
const own = { id: 2, title: 'own', options, allow_other: true };
const optional = { id: 3, title: 'optional', options, required: false, recommend: 'c' };
const input = { task: 't', source: 's', items: [several, own, optional] };

test('an item counts once as much is chosen as it asks for', async ({ page, start, open }) => {
  const waiting = await start(input);
  await open(page, waiting.url);
  const progress = page.locator('#progress-text');
  const box = (name: string) => page.locator('#item-1').getByRole('checkbox', { name });
  await box('A').check();
  await expect(progress).toHaveText('已完成 0/2 项');
  await box('B').check();
  await expect(progress).toHaveText('已完成 1/2 项');
  await expect(page.locator('#rail-1')).toHaveAttribute('data-done', '');
  await box('C').check();
  await expect(progress).toHaveText('已完成 0/2 项');
  await expect(page.locator('#rail-1')).not.toHaveAttribute('data-done', '');
  await box('A').uncheck();

  // Chosen without words, one's own answer is none yet; written, it is chosen.
  await page.locator('#item-2').getByRole('radio', { name: '其他' }).check();
  await expect(progress).toHaveText('已完成 1/2 项');
  await expect(submit(page)).toBeDisabled();
  await page.locator('#item-2').getByRole('radio', { name: 'A' }).check();
  await page.locator('#item-2').getByLabel('其他答案').pressSequentially('新');
  await expect(page.locator('#item-2').getByRole('radio', { name: '其他' })).toBeChecked();
  await expect(progress).toHaveText('已完成 2/2 项');

  await page.reload();
  await expect(progress).toHaveText('已完成 2/2 项');
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
