// Items that take several answers, an answer of one's own, or none.
import { expect, expectDecided, expectSuccess, note, submit, test } from '../../lib/test.ts';

const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
const free = {
  task: 't',
  source: 's',
  items: [
    { id: 1, title: 'several', options, multiple: true, max: 2, recommend: 'b' },
    { id: 2, title: 'open', options, required: false },
    { id: 3, title: 'own', options, allow_other: true },
    { id: 4, title: 'several or own', options, multiple: true, min: 0, allow_other: true },
  ],
};

test('several answers, own words and an item left open come back as they were given', async ({ page, start, open }) => {
  const waiting = await start(free);
  await open(page, waiting.url);
  await expect(page.getByText('已完成 0/2 项')).toBeVisible();
  await expect(page.getByRole('radio', { name: '不作决定' })).toBeChecked();
  await page.locator('#item-1').getByRole('checkbox', { name: 'C' }).check();
  await page.locator('#item-1').getByRole('checkbox', { name: 'A' }).check();
  await page.locator('#item-3').getByLabel('其他答案').fill('都不用\n先等等');
  await note(page, 2).fill('以后再说');
  await page.locator('#item-4').getByRole('checkbox', { name: '其他' }).check();
  await page.locator('#item-4').getByLabel('其他答案').fill('D');
  await page.locator('#item-4').getByRole('checkbox', { name: 'B' }).check();
  await submit(page).click();
  await expectSuccess(page);
  await expect(page.getByText('A · C')).toBeVisible();
  await expectDecided(waiting, [
    { id: 1, chosen: ['a', 'c'] },
    { id: 2, chosen: null, note: '以后再说' },
    { id: 3, chosen: null, other: '都不用\n先等等' },
    { id: 4, chosen: ['b'], other: 'D' },
  ]);
});

test('what may be left open can be taken back', async ({ page, start, open }) => {
  const waiting = await start({ ...free, items: free.items.slice(1, 2) });
  await open(page, waiting.url);
  await page.locator('#item-2').getByRole('radio', { name: 'B' }).check();
  await page.getByRole('radio', { name: '不作决定' }).check();
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 2, chosen: null }]);
});
