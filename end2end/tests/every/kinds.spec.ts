// Questions that are answered in words, or confirmed; and options that explain themselves.
import { expect, expectDecided, expectSuccess, note, submit, test } from '../../lib/test.ts';

const kinds = {
  task: 't',
  source: 's',
  items: [
    { id: 1, title: 'name', kind: 'text', options: [] },
    {
      id: 2, title: 'go', kind: 'confirm', recommend: 'go',
      options: [{ value: 'go', label: 'Publish', description: 'It **cannot** be taken back; see [the list](https://example.com/).', pros: ['soon'], cons: ['final'] }],
    },
    {
      id: 3, title: 'way',
      options: [{ value: 'a', label: 'A', description: 'The first way.' }, { value: 'b', label: 'B' }],
    },
    { id: 4, title: 'more', kind: 'text', options: [], required: false },
  ],
};

test('a question is answered in words, another confirmed', async ({ page, start, open }) => {
  const waiting = await start(kinds);
  await open(page, waiting.url);
  await expect(page.getByText('已完成 0/3 项')).toBeVisible();
  const answer = page.getByRole('textbox', { name: '您的回答' }).first();
  await answer.fill('Aster\n<b>2</b>');
  const confirm = page.locator('#item-2').getByRole('checkbox', { name: 'Publish' });
  await confirm.check();
  await confirm.uncheck();
  await expect(confirm).not.toBeChecked();
  // The whole card is the label, its explanation too.
  const clickOn = async (selector: string) => {
    await page.locator(selector).scrollIntoViewIfNeeded();
    const box = (await page.locator(selector).boundingBox())!;
    await page.mouse.click(box.x + 4, box.y + box.height / 2);
  };
  await clickOn('#item-2 .item-context');
  await expect(confirm).toBeChecked();
  await clickOn('#item-3 .item-context');
  await expect(page.locator('#item-3').getByRole('radio', { name: 'A' })).toBeChecked();
  await note(page, 2).fill('n');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: null, other: 'Aster\n<b>2</b>' },
    { id: 2, chosen: 'go', note: 'n' },
    { id: 3, chosen: 'a' },
    { id: 4, chosen: null },
  ]);
});

test('Tab, space and letters are enough', async ({ page, start, open }) => {
  const waiting = await start({ ...kinds, items: kinds.items.slice(0, 2) });
  await open(page, waiting.url);
  const isFocused = (selector: string) => page.evaluate((wanted) => !!document.activeElement?.matches(wanted), selector);
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 40 && !(await isFocused(selector)); presses += 1) {
      await page.keyboard.press('Tab');
      expect(await isFocused('.written input'), 'what nobody sees takes no Tab').toBe(false);
    }
    expect(await isFocused(selector), selector).toBe(true);
  };
  await tabTo('#other-1');
  await page.keyboard.type('jk1 ra');
  await tabTo('#item-2 input');
  await page.keyboard.press('Space');
  await tabTo('#submit-btn');
  await page.keyboard.press('Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: null, other: 'jk1 ra' }, { id: 2, chosen: 'go' }]);
});

test('nothing is wider than a small window', async ({ page, start, open }) => {
  const waiting = await start(kinds);
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, waiting.url);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(360);
  const area = await page.locator('#other-1').boundingBox();
  expect(area!.width).toBeGreaterThan(250);
  expect(area!.height).toBeGreaterThan(100);
});

test('what was written is missed where it is missing', async ({ page, start, open, guard, mode }) => {
  if (mode !== 'hydrated') guard.allow(/status of 400/, /\/submit\b/);
  const waiting = await start({ ...kinds, items: kinds.items.slice(0, 2) });
  await open(page, waiting.url);
  await page.locator('#item-2').getByRole('checkbox').check();
  await page.locator('#other-1').fill('x');
  await page.locator('#other-1').fill('');
  if (mode === 'hydrated') {
    await expect(submit(page)).toBeDisabled();
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('#error-toast')).toContainText('还有 1 项未完成: 第 1 项');
  } else {
    await submit(page).click();
    await expect(page.locator('#item-1')).toContainText('请填写此项的回答');
  }
  await page.locator('#other-1').fill('x');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: null, other: 'x' }, { id: 2, chosen: 'go' }]);
});
