// What the script does with questions that are answered in words, or confirmed.
import { expect, expectDecided, expectSuccess, test } from '../../lib/test.ts';

const kinds = {
  task: 't',
  source: 's',
  items: [
    { id: 1, title: 'name', kind: 'text', options: [] },
    { id: 2, title: 'go', kind: 'confirm', recommend: 'go', options: [{ value: 'go', label: 'Publish', description: 'All of it.' }] },
    { id: 3, title: 'more', kind: 'text', options: [], required: false },
  ],
};

test('progress follows what is written and ticked', async ({ page, start, open }) => {
  const waiting = await start(kinds);
  await open(page, waiting.url);
  const done = (count: number) => expect(page.getByText(`已完成 ${count}/2 项`)).toBeVisible();
  await done(0);
  await page.locator('#other-1').pressSequentially('ab');
  await done(1);
  await page.locator('#other-1').fill('');
  await done(0);
  await page.locator('#other-1').fill('ab');
  await page.locator('#recommend-btn').click();
  await done(2);
  await page.locator('#item-2 input').uncheck();
  await done(1);
});

test('keys lead through every kind', async ({ page, start, open }) => {
  const waiting = await start(kinds);
  await open(page, waiting.url);
  await page.keyboard.press('o');
  await expect(page.locator('#other-1')).toBeFocused();
  await page.keyboard.type('jk');
  await page.keyboard.press('Escape');
  await page.keyboard.press('x');
  await expect(page.locator('#other-1')).toHaveValue('jk');
  await page.keyboard.press('j');
  await expect(page.locator('#item-2 input')).toBeFocused();
  await page.keyboard.press('1');
  await expect(page.locator('#item-2 input')).toBeChecked();
  await page.keyboard.press('1');
  await expect(page.locator('#item-2 input')).not.toBeChecked();
  await page.keyboard.press('r');
  await expect(page.locator('#item-2 input')).toBeChecked();
  await page.keyboard.press('j');
  // A ring around the field says where the keys are.
  await expect(page.locator('#item-3[data-current]')).toBeVisible();
  expect(await page.locator('#other-3').evaluate((area) => getComputedStyle(area).outlineStyle)).toBe('solid');
  await page.keyboard.press('k');
  await expect(page.locator('#item-2 input')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: null, other: 'jk' }, { id: 2, chosen: 'go' }, { id: 3, chosen: null }]);
});

test('a reload keeps what was written and ticked', async ({ page, start, open }) => {
  const waiting = await start(kinds);
  await open(page, waiting.url);
  const kept = page.waitForResponse((response) => response.url().includes('/fn/draft') && response.ok());
  await page.locator('#other-1').fill('a\nb');
  await page.locator('#item-2 input').check();
  await kept;
  await page.reload();
  await open(page, waiting.url);
  await expect(page.locator('#other-1')).toHaveValue('a\nb');
  await expect(page.locator('#item-2 input')).toBeChecked();
  await expect(page.getByText('已完成 2/2 项')).toBeVisible();
});
