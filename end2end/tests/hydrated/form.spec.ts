// What the script adds: progress, a button that waits for the last answer, and words for every failure.
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, isSubmission, kept, note, radio, submit, success, test } from '../../lib/test.ts';

test('4.2 progress counts, and submit waits until everything is chosen', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const progress = page.locator('#progress-text');
  await expect(progress).toHaveText('已完成 0/2 项');
  await expect(submit(page)).toBeDisabled();
  await choose(page, 1, 'jwt');
  await expect(progress).toHaveText('已完成 1/2 项');
  await expect(submit(page)).toBeDisabled();
  await choose(page, 1, 'session');
  await expect(progress).toHaveText('已完成 1/2 项');
  await choose(page, 2, 'bcrypt');
  await expect(progress).toHaveText('已完成 2/2 项');
  await expect(submit(page)).toBeEnabled();
});

test('4.5 shows that it submits, that it is done and that the page can be closed', async ({ page, context, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  let release = () => {};
  const looked = new Promise<void>((resolve) => (release = resolve));
  await context.route(isSubmission, async (route) => {
    await looked;
    await route.continue();
  });
  await submit(page).click();
  await expect(submit(page)).toHaveText('提交中...');
  await expect(submit(page)).toBeDisabled();
  await expect(success(page)).toBeHidden();
  release();
  await expectSuccess(page);
  await expect(submit(page)).toBeHidden();
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
});

test('4.6 without network: says so, keeps everything, works again', async ({ page, context, start, open, guard }) => {
  // The test cuts the connection: the browser reports each request that fails.
  guard.allow(/net::ERR_FAILED/, /\/fn\/(submit|draft|listen)$/);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 1).fill('不能丢');
  await context.route('**/fn/*', (route) => route.abort());
  await submit(page).click();
  const toast = page.locator('#error-toast');
  await expect(toast).toHaveRole('alert');
  await expect(toast).toContainText('提交失败: ');
  await expect(submit(page)).toHaveText('提交决策');
  await expect(submit(page)).toBeEnabled();
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('不能丢');
  expect(waiting.running).toBe(true);

  // Who goes on typing is not overtaken by what was to be sent.
  await note(page, 1).fill('不能丢！');
  await context.unroute('**/fn/*');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt', note: '不能丢！' }, { id: 2, chosen: 'bcrypt' }]);
});

test('a draft survives a reload', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 2, 'argon2');
  await note(page, 1).fill('草稿\n第二行');
  await page.reload();
  await open(page, waiting.url);
  await expect(radio(page, 2, 'argon2')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('草稿\n第二行');
  await expect(page.locator('#progress-text')).toHaveText('已完成 1/2 项');
  await expect(submit(page)).toBeDisabled();
});

test('a draft survives the change of the language', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await note(page, 2).fill('语言');
  await page.locator('a[hreflang=en]').click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await open(page, page.url());
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(note(page, 2)).toHaveValue('语言');
});

test('a draft is there in another browser, on another port, after a crash', async ({ page, browser, start, open, guard }) => {
  // What the page was waiting for breaks off with the server.
  guard.allowGone(/\/fn\/listen$/);
  const waiting = await start(auth);
  await open(page, waiting.url);
  const draft = kept(page, '写到一半');
  await choose(page, 1, 'session');
  await note(page, 1).fill('写到一半');
  await draft;
  await waiting.kill();
  await page.goto('about:blank');

  const again = await start(auth, { dir: waiting.dir });
  const elsewhere = await browser.newContext({ locale: 'zh-CN' });
  guard.watch(elsewhere);
  const other = await elsewhere.newPage();
  await open(other, again.url);
  await expect(radio(other, 1, 'session')).toBeChecked();
  await expect(note(other, 1)).toHaveValue('写到一半');
  await expect(other.locator('#progress-text')).toHaveText('已完成 1/2 项');
  await elsewhere.close();
});

test('a draft ends with the decision', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 1).fill('旧的');
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  const again = await start(auth, { dir: waiting.dir, port: Number(new URL(waiting.url).port) });
  await open(page, again.url);
  await expect(page.locator('input[type=radio]:checked')).toHaveCount(0);
  await expect(note(page, 1)).toHaveValue('');
});

test('a double click submits once', async ({ page, context, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  let posts = 0;
  context.on('request', (request) => {
    if (isSubmission(new URL(request.url()))) posts += 1;
  });
  await submit(page).dblclick();
  await expectSuccess(page);
  expect(posts).toBe(1);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
});

test('no draft is sent while the answers are on their way: the server ends with them', async ({ page, context, start, open }) => {
  await page.clock.install();
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.clock.pauseAt(Date.now() + 60_000);
  let drafts = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/fn/draft')) drafts += 1;
  });
  let release = () => {};
  const looked = new Promise<void>((resolve) => (release = resolve));
  await context.route(isSubmission, async (route) => {
    await looked;
    await route.continue();
  });
  await answerAuth(page);
  const sent = page.waitForRequest((request) => isSubmission(new URL(request.url())));
  await submit(page).click();
  await sent;
  await page.clock.runFor(10_000);
  // Any draft would have been sent before this.
  await page.evaluate(() => fetch('/favicon.svg'));
  expect(drafts).toBe(0);
  release();
  await page.clock.resume();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
});

test('what was chosen and typed before the script woke up is newer than any draft', async ({ page, context, start, open, guard }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  // A draft that the server never took, so that this browser keeps it.
  guard.allow(/Failed to load resource/, /\/fn\/draft$/);
  await context.route('**/fn/draft', (route) => route.abort());
  await choose(page, 1, 'jwt');
  await note(page, 1).fill('old');
  await expect(page.locator('#draft-state')).not.toBeEmpty();

  let arrive = () => {};
  const held = new Promise<void>((resolve) => (arrive = resolve));
  await context.route('**/app.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await choose(page, 1, 'session');
  await note(page, 1).fill('new');
  arrive();
  await expect(page.locator('html')).toHaveAttribute('data-hydrated', 'true');
  await expect(radio(page, 1, 'session')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('new');
});

test('the draft of another browser is shown, not an older one of this browser', async ({ page, browser, start, open, guard }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const saved = kept(page, '"options":[0]');
  await choose(page, 1, 'jwt');
  await saved;

  const other = await (await browser.newContext({ locale: 'zh-CN' })).newPage();
  guard.watch(other.context());
  await open(other, waiting.url);
  const savedThere = kept(other, '"options":[1]');
  await choose(other, 1, 'session');
  await savedThere;
  await other.context().close();

  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-hydrated', 'true');
  await expect(radio(page, 1, 'session')).toBeChecked();
});

test('after the decision a key brings no draft back', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await page.keyboard.press('2');
  await page.keyboard.press('a');
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('no style of the whole page depends on a state within it: each answer among a thousand would have it looked for', async ({ page, start, open }) => {
  const waiting = await start(questions(2));
  await open(page, waiting.url);
  const costly = await page.evaluate(() => {
    const selectors: string[] = [];
    const read = (rules: CSSRuleList) => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule) selectors.push(rule.selectorText);
        if ('cssRules' in rule) read(rule.cssRules as CSSRuleList);
      }
    };
    for (const sheet of document.styleSheets) read(sheet.cssRules);
    // What does not change while the page is shown may be asked for.
    return selectors.filter((selector) => /(:root|html|body|main|form|#decide)[^ ,]*:has\([^)]*:[a-z]/.test(selector));
  });
  expect(costly).toEqual([]);
});
