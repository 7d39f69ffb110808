// From the question to the agent's result, in every kind of browser.
import { english, auth, minimal, questions } from '../../lib/inputs.mjs';
import {
  answerAuth, choose, expect, expectDecided, expectSuccess, isSubmission, note, radio, submit, success, takeAll, test,
  wayOut,
} from '../../lib/test.ts';
import { sendTogether } from '../../lib/together.ts';

test('6.1 the whole journey of the documented example', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 2).fill('团队更熟悉 bcrypt');
  await submit(page).click();
  await expectSuccess(page);
  await expect(success(page)).toContainText('团队更熟悉 bcrypt');
  await expectDecided(
    waiting,
    [
      { id: 1, chosen: 'jwt' },
      { id: 2, chosen: 'bcrypt', note: '团队更熟悉 bcrypt' },
    ],
    auth,
  );
});

test('4.4 a note of several lines is saved and appears in the result', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'session');
  await choose(page, 2, 'argon2');
  await note(page, 1).fill('第一行\n\n  第三行 "引号" \\ 🚀');
  await note(page, 2).fill('  \n ');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [
    { id: 1, chosen: 'session', note: '第一行\n\n  第三行 "引号" \\ 🚀' },
    { id: 2, chosen: 'argon2' },
  ]);
});

test('4.7 renders, works and ends without an error in Chromium', async ({ page, start, open, guard }) => {
  const waiting = await start(minimal);
  await open(page, waiting.url);
  await choose(page, 1, 'b');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'b' }], minimal);
  expect(guard.problems).toEqual([]);
});

for (const count of [1, 2, 50, 100, 1000]) {
  test(`${count === 100 ? '7.3 ' : ''}${count} items render and can be submitted`, async ({ page, start, open, mode }) => {
    const input = questions(count);
    const waiting = await start(input);
    await open(page, waiting.url);
    await expect(page.locator('fieldset.item')).toHaveCount(count);
    await choose(page, count, 'redis');
    await takeAll(page, mode, count);
    await submit(page).click();
    await expectSuccess(page);
    const decisions = input.items.map(({ id, recommend = '' }) => ({ id, chosen: id === count ? 'redis' : recommend }));
    await expectDecided(waiting, decisions);
  });
}

test('7.4 Chinese, emoji, quotes and line breaks survive in every field', async ({ page, start, open }) => {
  const odd = '中文 “引号” "quotes" \'single\' <b>&amp; \\n 🚀👩‍👩‍👧 ümläut';
  const input = {
    task: odd,
    source: odd,
    items: [{
      id: 7,
      title: `${odd}\n第二行`,
      context: `第一段\n\n第二段 🚀`,
      options: [
        { value: odd, label: odd, pros: [odd], cons: [`${odd} 1`] },
        { value: `${odd} 2`, label: `${odd} 2` },
      ],
      recommend: odd,
    }],
  };
  const waiting = await start(input);
  await open(page, waiting.url);
  await expect(page.locator('#task-name')).toHaveText(odd);
  await expect(page.locator('#task-source')).toHaveText(odd);
  await expect(page.locator('#item-7 legend')).toContainText(`${odd} 第二行`);
  await expect(page.locator('#item-7 .option-label').first()).toHaveText(`${odd} 推荐`);
  await expect(page.locator('#item-7 .option-pro').first()).toHaveText(odd);
  await expect(page.locator('#item-7 .option-con').first()).toHaveText(`${odd} 1`);
  await page.locator('#item-7 label.option').first().click();
  await note(page, 7).fill(`${odd}\n第二行`);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 7, chosen: odd, note: `${odd}\n第二行` }], input);
});

test('taking all recommendations fills what is open and leaves what was chosen', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 2, 'argon2');
  await note(page, 1).fill('先不要提交');
  await takeAll(page, mode, 2);
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(radio(page, 2, 'argon2')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('先不要提交');
  expect(waiting.running).toBe(true);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt', note: '先不要提交' }, { id: 2, chosen: 'argon2' }]);
});

test('of two tabs exactly one wins, and the other is shown the result that stands', async ({ page, context, start, open, guard }) => {
  // The loser's answer has the status 409, which the browser reports.
  guard.allow(/status of 409/, /submit\b/);
  const waiting = await start(auth);
  const other = await context.newPage();
  await open(page, waiting.url);
  await open(other, waiting.url);
  await choose(other, 1, 'session');
  await choose(other, 2, 'argon2');
  await page.bringToFront();
  await choose(page, 1, 'jwt');
  await choose(page, 2, 'bcrypt');
  await sendTogether(context, waiting.url, isSubmission);
  // A click of the mouse would wait for the tab in the background to be drawn.
  for (const tab of [other, page]) await submit(tab).evaluate((button) => (button as HTMLElement).click());

  await expect(success(page)).toBeVisible();
  await expect(success(other)).toBeVisible();
  const [first, second] = [await success(page).innerText(), await success(other).innerText()];
  const won = first.includes('决策已提交');
  expect(second.includes('决策已提交'), 'exactly one wins').toBe(!won);
  const [winner, loser] = won ? [first, second] : [second, first];
  expect(loser).toContain('此前已有决策');
  for (const text of [winner, loser]) {
    expect(text).toContain(won ? 'JWT Token 认证' : 'Session 认证');
    expect(text).not.toContain(won ? 'Session 认证' : 'JWT Token 认证');
  }
  await expectDecided(waiting, won
    ? [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]
    : [{ id: 1, chosen: 'session' }, { id: 2, chosen: 'argon2' }]);
});

test('the English page is English to the end', async ({ page, start, open }) => {
  const waiting = await start(english);
  await open(page, waiting.url);
  await (await wayOut(page, 'language')).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await open(page, page.url());
  // Only the way back is written in Chinese.
  const chinese = () => page.evaluate(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement?.closest('.language, script')) texts.push(node.textContent ?? '');
    }
    for (const element of document.querySelectorAll('[placeholder], [title], [aria-label]')) {
      texts.push(...['placeholder', 'title', 'aria-label'].map((name) => element.getAttribute(name) ?? ''));
    }
    return texts.filter((text) => /[\u3000-\u9fff\uff00-\uffef]/.test(text));
  });
  expect(await chinese()).toEqual([]);
  await expect(await wayOut(page, 'language')).toHaveText('中文');
  await choose(page, 1, 'session');
  await choose(page, 2, 'bcrypt');
  await submit(page).click();
  await expect(success(page)).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  expect(await chinese()).toEqual([]);
  await expectDecided(waiting, [{ id: 1, chosen: 'session' }, { id: 2, chosen: 'bcrypt' }], english);
});
