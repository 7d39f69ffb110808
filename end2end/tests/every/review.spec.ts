// Everything that was chosen, before it is sent.
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, hydrated, item, kept, note, radio, submit, test, titleOf } from '../../lib/test.ts';

test('what was chosen is reviewed, changed, reviewed again and submitted', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 1).fill('第一行\n<b>第二行</b>');
  const review = page.getByRole('button', { name: '检查' });
  await review.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('检查您的选择');
  await expect(page).toHaveTitle(`检查您的选择 · ${titleOf(waiting, auth)}`);
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
    await expect(page.locator('#time-limit')).toContainText(/服务将于 \d\d:\d\d:\d\d 关闭；届时仍未提交，则不产生任何决策/);
    await page.getByRole('button', { name: '延长时间' }).click();
  }
  await expect(radio(page, 1, 'jwt')).toBeChecked();
});

test('the review is read from its heading, each row leads to its question with everything kept, and Esc goes back', async ({ page, start, open, mode }) => {
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  await choose(page, 2, 'redis');
  await note(page, 2).fill('写到一半');
  await page.getByRole('button', { name: '检查' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();

  await page.getByRole('button', { name: '9. 第 9 个问题' }).click();
  if (mode === 'hydrated') await hydrated(page);
  await expect(page).toHaveURL(/#item-9$/);
  await expect(item(page, 9).locator('legend')).toBeInViewport();
  await expect(radio(page, 2, 'redis')).toBeChecked();
  await expect(note(page, 2)).toHaveValue('写到一半');
  // After a mere look at the review, nothing is restored.
  await expect(page.locator('#restored')).toBeHidden();
  if (mode === 'hydrated') {
    await page.keyboard.press('1');
    await expect(radio(page, 9, 'memory')).toBeChecked();
  }

  if (mode === 'no-js') return;
  await page.getByRole('button', { name: '检查' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(item(page, 1)).toBeVisible();
  if (mode === 'hydrated') await hydrated(page);
  await expect(note(page, 2)).toHaveValue('写到一半');
});

test('Esc in the review leads back to where one was', async ({ page, start, open, mode }) => {
  if (mode === 'no-js') return;
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  const back = async () => {
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await page.keyboard.press('Escape');
    await page.locator('#decide').waitFor();
    if (mode === 'hydrated') await hydrated(page);
  };
  // Not by the driver's click, which scrolls to what is in sight already.
  const review = () => page.locator('#review-btn').dispatchEvent('click');
  await choose(page, 9, 'redis');
  await review();
  await back();
  await expect(item(page, 9).locator('legend')).toBeInViewport();
  await expect(radio(page, 9, 'redis')).toBeChecked();
  // By the button as well, and from where one has only scrolled to.
  const moved = async () => {
    await item(page, 6).locator('legend').evaluate((legend) => legend.scrollIntoView({ block: 'start' }));
    return item(page, 6).evaluate((item) => Math.abs(item.getBoundingClientRect().top) < 90);
  };
  await expect.poll(moved).toBe(true);
  await expect(item(page, 9)).not.toBeInViewport();
  await review();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.getByRole('button', { name: '返回修改' }).first().click();
  await expect(item(page, 6).locator('legend')).toBeInViewport();
  if (mode !== 'hydrated') return;
  // By a key there and back, which acts on the same question again, and does not forget what can be undone.
  await hydrated(page);
  await page.keyboard.press('2');
  await page.keyboard.press('x');
  await page.keyboard.press('c');
  await back();
  await page.keyboard.press('u');
  await expect(radio(page, 6, 'redis')).toBeChecked();
});

test('Ctrl+Enter in the review submits', async ({ page, start, open, mode }) => {
  if (mode === 'no-js') return;
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await page.getByRole('button', { name: '检查' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
});

test('Ctrl+Enter in the review of what is not complete leads to the first open question', async ({ page, start, open, mode }) => {
  if (mode === 'no-js') return;
  const waiting = await start(questions(12));
  await open(page, waiting.url);
  for (const id of [1, 2, 3]) await choose(page, id, 'redis');
  await page.getByRole('button', { name: '检查' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await page.locator('#decide').waitFor();
  if (mode === 'hydrated') await hydrated(page);
  await expect(page).toHaveURL(/#item-4$/);
  await expect(item(page, 4).locator('legend')).toBeInViewport();
  await expect(radio(page, 3, 'redis')).toBeChecked();
});

test('white space around what was written is not part of the answer', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 1).fill('  \n先上线，再换\n  第二行缩进\n \u3000\n');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: 'jwt', note: '先上线，再换\n  第二行缩进' },
    { id: 2, chosen: 'bcrypt' },
  ]);
});

test('a draft that was restored says so, and of when it is', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expect(page.locator('#restored')).toBeHidden();
  const saved = mode === 'hydrated' ? kept(page, '写到一半') : null;
  await note(page, 1).fill('写到一半');
  // Without script, what is typed is kept when the page is left by one of its own ways.
  if (mode !== 'hydrated') await page.locator('#review-btn').click();
  await saved;
  await page.goto('about:blank');
  await open(page, waiting.url);
  await expect(note(page, 1)).toHaveValue('写到一半');
  await expect(page.locator('#restored')).toHaveText(/^已恢复您 \d\d:\d\d 的草稿$/);
  await expect(page.locator('#restored')).toHaveRole('status');
  await open(page, `${waiting.url}/?lang=en`);
  await expect(page.locator('#restored')).toHaveText(/^Your draft of \d\d:\d\d was restored$/);
});
