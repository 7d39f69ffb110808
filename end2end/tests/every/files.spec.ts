// Questions that are answered with files, with and without script.
import { expect, expectSuccess, choose, overflow, submit, test, type Mode, type Page } from '../../lib/test.ts';
import { asked, attachment, expectAttached, field, file, onDisk, removal, rows } from '../../lib/files.ts';

/** Without script what is chosen goes with the form, which any of its buttons sends. */
async function attach(page: Page, mode: Mode, item: number, ...files: ReturnType<typeof file>[]) {
  await field(page, item).setInputFiles(files);
  if (mode === 'no-js') await page.locator('button.language:visible').click();
  else await expect(page.locator(`#item-${item} .files-status`)).toHaveText(`已添加 ${files.at(-1)!.name}`);
}

test('what is asked for is said in words', async ({ page, start, open, mode }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await expect(page.locator('#item-3')).toContainText('1 至 2 个文件，名称为 *.svg、*.png，每个不超过 30 MB');
  await expect(page.locator('#item-4')).toContainText('1 个文件，每个不超过 64 MiB');
  await open(page, `${waiting.url}/?lang=en`);
  await expect(page.locator('#item-3')).toContainText('1 to 2 files · named *.svg, *.png · at most 30 MB each');
  await expect(field(page, 3)).toHaveAccessibleName(mode === 'no-js' ? 'Attach:' : 'Choose files, or drop them here');
  await expect(field(page, 4)).toHaveAccessibleName(mode === 'no-js' ? 'Attach:' : 'Choose a file, or drop it here');
});

test('files are attached, taken away, replaced and sent', async ({ page, start, open, mode }) => {
  const waiting = await start(asked);
  const lang = mode === 'no-js' ? '?lang=en' : '';
  await open(page, `${waiting.url}/${lang}`);
  await choose(page, 1, 'b');
  await attach(page, mode, 3, file('a.svg', '<svg/>'), file('b.png', 'png'));
  await expectAttached(page, 3, 'a.svg', 'b.png');
  await expect(rows(page, 3).first()).toContainText('6 B');
  await attach(page, mode, 4, file('报告 1.pdf', 'report'));
  await open(page, waiting.url);
  await expectAttached(page, 4, '报告 1.pdf');
  await removal(page, 'b.png').click();
  await expectAttached(page, 3, 'a.svg');
  await attach(page, mode, 3, file('a.svg', 'other'));
  await open(page, waiting.url);
  await expectAttached(page, 3, 'a.svg');
  expect(onDisk(waiting, 3)).toEqual({ 'a.svg': 'other' });
  await choose(page, 1, 'b');
  await page.locator('#review-btn').click();
  await expect(page.locator('.summary')).toContainText('a.svg (5 B)');
  await expect(page.locator('.summary')).toContainText('报告 1.pdf (6 B)');
  await page.locator('#submit-btn').click();
  await expectSuccess(page);
  await expect(page.locator('#success')).toContainText('a.svg (5 B)');
  expect((await waiting.done).code).toBe(0);
  expect(JSON.parse(waiting.result().stdout)).toEqual({
    decisions: [
      { id: 1, chosen: 'b' },
      { id: 3, chosen: null, files: [attachment('a.svg', 'other')] },
      { id: 4, chosen: null, files: [attachment('报告 1.pdf', 'report')] },
    ],
  });
});

test('a question of files is missed where none are', async ({ page, start, open, guard, mode }) => {
  if (mode !== 'hydrated') guard.allow(/status of 400/, /\/submit\b/);
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'a');
  if (mode === 'hydrated') {
    await expect(submit(page)).toBeDisabled();
  } else {
    await submit(page).click();
    await expect(page.locator('#item-3')).toContainText('请为此项添加附件');
    await expect(page.locator('#item-1 input[value="0"]')).toBeChecked();
  }
  await field(page, 3).setInputFiles([file('a.svg', 'x')]);
  if (mode !== 'no-js') await expectAttached(page, 3, 'a.svg');
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  expect(JSON.parse(waiting.result().stdout).decisions[1].files).toEqual([attachment('a.svg', 'x')]);
});

test('what cannot be attached is said, and nothing is lost', async ({ page, start, open, guard, mode }) => {
  guard.allow(/status of 400/, mode === 'no-js' ? /\/submit\b/ : /\/files\/3\b/);
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'b');
  await field(page, 3).setInputFiles([file('a.exe', 'x'), file('b.svg', 'x')]);
  if (mode === 'no-js') await page.locator('#review-btn').click();
  await expect(page.locator(mode === 'no-js' ? '#error' : '#item-3')).toContainText('只接受以下名称的文件: *.svg、*.png');
  await expectAttached(page, 3, 'b.svg');
  await expect(page.locator('#item-1 input[value="1"]')).toBeChecked();
});

test('nothing is wider than a small window', async ({ page, start, open, mode }) => {
  const waiting = await start(asked);
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, waiting.url);
  await attach(page, mode, 3, file(`${'名字很长'.repeat(15)}.svg`, 'x'), file(`${'x'.repeat(180)}.svg`, 'x'));
  await expect(rows(page, 3)).toHaveCount(2);
  expect(await overflow(page)).toBe(0);
});

test('the record shows what was attached', async ({ page, start, open, mode }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'a');
  await attach(page, mode, 3, file('a.svg', 'x'.repeat(1234)));
  await expectAttached(page, 3, 'a.svg');
  await submit(page).click();
  await waiting.done;
  const next = await start(asked, { dir: waiting.dir });
  const [session] = Object.keys(next.records());
  await page.goto(`${next.url}/history/${session!.replace('.json', '')}`);
  await expect(page.locator('#item-3 .files-list li')).toHaveText('a.svg 1.2 kB');
  await expect(page.locator('#item-4')).toContainText('未作决定');
});
