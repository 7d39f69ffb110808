// Files without the script that the rest of the page has: every way to send them is a button of the form.
import { expect, expectSuccess, choose, submit, test, type Mode, type Page } from '../../lib/test.ts';
import { asked, attachment, expectAttached, field, file, onDisk, removal } from '../../lib/files.ts';

/** Chooses files; a script, where there is one, sends them at once. */
async function chooseFiles(page: Page, mode: Mode, item: number, ...files: ReturnType<typeof file>[]) {
  await field(page, item).setInputFiles(files);
  if (mode !== 'no-js') await expect(page.locator(`#item-${item} .files-list li`)).toHaveCount(files.length);
  if (mode !== 'no-js') await expect(page.locator('.files-list progress:visible')).toHaveCount(0);
}

test('every button takes the chosen files along', async ({ page, start, open, mode }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'b');
  await chooseFiles(page, mode, 3, file('a.svg', 'x'));
  await page.locator('#review-btn').click();
  await expect(page.locator('.summary')).toContainText('a.svg (1 B)');
  await page.locator('#review-back').click();
  await expectAttached(page, 3, 'a.svg');
  await chooseFiles(page, mode, 4, file('b.pdf', 'y'));
  await removal(page, 'a.svg').click();
  await expectAttached(page, 3);
  await expectAttached(page, 4, 'b.pdf');
  await chooseFiles(page, mode, 3, file('c.svg', 'z'));
  await page.locator('button.history:visible').click();
  await expect(page).toHaveURL(/\/history/);
  await open(page, waiting.url);
  await expectAttached(page, 3, 'c.svg');
  await expect(page.locator('#item-1 input[value="1"]')).toBeChecked();
  expect(onDisk(waiting, 3)).toEqual({ 'c.svg': 'z' });
  // Enter sends the form; it does not take the first file away.
  await page.locator('#item-1 input[value="1"]').press('Enter');
  await expectSuccess(page);
  await waiting.done;
  expect(JSON.parse(waiting.result().stdout).decisions[1].files).toEqual([attachment('c.svg', 'z')]);
});

test('questions with files can be sent back', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await page.locator('#return summary').click();
  await page.locator('#return textarea').fill('why');
  await page.locator('#return-btn').click();
  await expect(page.locator('main')).toContainText('why');
  expect((await waiting.done).code).not.toBe(0);
});

test('a file that is not taken is told, and the others are', async ({ page, start, open, guard, mode }) => {
  guard.allow(/status of 413/, /\/submit\b/);
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'b');
  await chooseFiles(page, mode, 3, ...[1, 2, 3].map((number) => file(`${number}.svg`, 'x')));
  if (mode === 'no-js') await submit(page).click();
  const told = page.locator(mode === 'no-js' ? '#error' : '#item-3');
  await expect(told).toContainText('3.svg');
  await expect(told).toContainText('此项最多 2 个附件');
  await expectAttached(page, 3, '1.svg', '2.svg');
  expect(waiting.running).toBe(true);
});
