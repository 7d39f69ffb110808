// A browser without script: the server does what the script would have done.
import { auth, questions } from '../../lib/inputs.mjs';
import { choose, expect, expectDecided, expectSuccess, item, note, radio, submit, test, wayOut } from '../../lib/test.ts';

test('an incomplete form comes back with everything in it and names what is missing', async ({ page, start, open, guard }) => {
  // The page comes back with the status 400, which the browser reports.
  guard.allow(/status of 400/, /\/submit\b/);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'session');
  await note(page, 1).fill('\n第一行是空的\n</textarea>');
  await note(page, 2).fill('还没想好');
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await submit(page).click();
  expect((await answer).status()).toBe(400);

  await expect(page.locator('#error')).toBeVisible();
  await expect(page.locator('#error')).toHaveRole('alert');
  await expect(page.locator('#error')).toContainText('提交失败');
  await expect(page.locator('#error')).toContainText('2');
  await expect(item(page, 2)).toContainText('请在此项中选择一个选项');
  await expect(item(page, 1)).not.toContainText('请在此项中选择一个选项');
  await expect(radio(page, 1, 'session')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('\n第一行是空的\n</textarea>');
  await expect(note(page, 2)).toHaveValue('还没想好');
  expect(waiting.running).toBe(true);
  expect(waiting.records()).toEqual({});

  await choose(page, 2, 'bcrypt');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: 'session', note: '第一行是空的\n</textarea>' },
    { id: 2, chosen: 'bcrypt', note: '还没想好' },
  ]);
});

test('the problem leads to the open item', async ({ page, start, open, guard }) => {
  guard.allow(/status of 400/, /\/submit/);
  const waiting = await start(questions(50));
  await open(page, waiting.url);
  await page.locator('#recommend-btn').click();
  await expect(page.locator('input[type=radio]:checked')).toHaveCount(50);
  // As if the person had never answered number 40.
  await page.locator('#item-40').evaluate((node) => node.querySelectorAll('input').forEach((input) => (input.checked = false)));
  await submit(page).click();
  await expect(page.locator('#error a')).toHaveCount(1);
  await page.locator('#error a').click();
  await expect(item(page, 40).locator('legend')).toBeInViewport();
});

test('an English page that comes back is still English', async ({ page, start, open, guard }) => {
  guard.allow(/status of 400/, /\/submit/);
  const waiting = await start(auth);
  await open(page, `${waiting.url}/?lang=en`);
  await submit(page).click();
  await expect(page.locator('#error')).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
});

test('the change of the language keeps what was chosen and typed', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 2, 'argon2');
  await note(page, 1).fill('半句');
  await (await wayOut(page, 'language')).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(radio(page, 2, 'argon2')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('半句');
});
