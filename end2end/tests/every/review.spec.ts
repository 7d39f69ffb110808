// Everything that was chosen, before it is sent.
import { auth } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, note, radio, submit, test } from '../../lib/test.ts';

test('what was chosen is reviewed, changed, reviewed again and submitted', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 1).fill('第一行\n<b>第二行</b>');
  const review = page.getByRole('button', { name: '检查' });
  await review.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('检查您的选择');
  await expect(page.locator('.chosen-note')).toHaveText('备注: 第一行\n<b>第二行</b>');
  expect(waiting.running).toBe(true);
  expect(waiting.records()).toEqual({});

  await page.getByRole('button', { name: '返回修改' }).first().click();
  if (mode === 'hydrated') await page.locator('html[data-hydrated=true]').waitFor();
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('第一行\n<b>第二行</b>');
  await choose(page, 1, 'session');
  await review.click();
  await expect(page.locator('.chosen').first()).toContainText('推荐: JWT');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: 'session', note: '第一行\n<b>第二行</b>' },
    { id: 2, chosen: 'bcrypt' },
  ]);
});

test('what is not complete can be reviewed and not submitted', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 2, 'argon2');
  await page.getByRole('button', { name: '检查' }).click();
  await expect(page.locator('.not-chosen')).toContainText('未选择');
  await expect(submit(page)).toHaveCount(0);
});

test('a time limit is shown, and put off on request', async ({ page, start, open, mode }) => {
  const waiting = await start(auth, { args: ['--timeout', '300'] });
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await page.locator('#time-limit summary').click();
  if (mode === 'hydrated') {
    await expect(page.getByRole('timer')).toHaveText(/^4:5\d$/);
    // From here on whatever is done begins it again.
    const answer = page.waitForResponse((response) => response.request().postDataJSON()?.extend === true);
    await page.getByRole('checkbox', { name: '填写时自动延长' }).check();
    expect(await (await answer).json()).toBe(299);
    const next = page.waitForResponse((response) => response.request().postDataJSON()?.extend === true);
    await note(page, 1).fill('还在');
    expect(await (await next).json()).toBe(299);
  } else {
    await expect(page.locator('#time-limit')).toContainText(/服务将于 \d\d:\d\d:\d\d 关闭，届时不会产生任何决策/);
    await page.getByRole('button', { name: '延长时间' }).click();
  }
  await expect(radio(page, 1, 'jwt')).toBeChecked();
});
