// A page that outlives the asking process: killed, brought back, or replaced by other questions.
import { createServer, type AddressInfo } from 'node:net';
import { auth, type Input } from '../../lib/inputs.mjs';
import { run } from '../../lib/aide.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, kept, note, radio, submit, success, test, type Page, type Waiting } from '../../lib/test.ts';

const answers = [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }];
const other: Input = {
  task: '另一个任务',
  source: 'other.md',
  items: [{ id: 1, title: '另一个问题', options: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }] }],
};
// The test kills the server: the browser reports each request that fails.
const refused = /\/fn\/(submit|draft|listen)$/;
const port = (url: string) => Number(new URL(url).port);
/** A port without a listener. */
const freePort = () => new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});
/** Opens a page and waits until it has asked for news, which the server holds back. */
async function listening(page: Page, opened: () => Promise<void>) {
  const asked = page.waitForRequest((request) => request.url().endsWith('/fn/listen') && request.postDataJSON().hold);
  await opened();
  await asked;
}

test('4.6 without server: says so, and submits as soon as somebody listens again', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await waiting.kill();
  await note(page, 2).fill('写在断线之后');
  await expect(page.locator('#draft-state')).toHaveText('提问者未连接。您的答案会保存在此浏览器中；照常提交即可，恢复连接后会自动发送');
  await submit(page).click();
  await expect(page.locator('#error-toast')).toContainText('提交失败: 提问者未连接');
  await expect(submit(page)).toBeEnabled();

  const again = await start(auth, { dir: waiting.dir, port: port(waiting.url) });
  expect(again.url).toBe(waiting.url);
  await expectSuccess(page);
  await expectDecided(again, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt', note: '写在断线之后' }]);
});

test('answers that reach no server any more are told how the questions ended meanwhile', async ({ page, start, open, guard }) => {
  guard.allow(/net::ERR_/, /\/fn\//);
  const waiting = await start(auth);
  const late = await page.context().newPage();
  for (const tab of [page, late]) await listening(tab, () => open(tab, waiting.url));
  let release = () => {};
  const ended = new Promise<void>((resolve) => (release = resolve));
  await late.route('**/fn/submit', async (route) => {
    await ended;
    await route.abort('connectionreset');
  });
  for (const tab of [page, late]) await choose(tab, 1, 'jwt');
  for (const tab of [page, late]) await choose(tab, 2, 'bcrypt');
  const sent = late.waitForRequest('**/fn/submit');
  await submit(late).click();
  await sent;
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
  release();
  await expect(success(late)).toBeVisible();
});

test('tabs whose answers are sent at the same moment all show how the questions ended', async ({ page, start, open, guard }) => {
  guard.allow(/status of 409/, /submit\b/);
  // On a busy machine answers may arrive after the end of the server, which was told to their page before.
  guard.allowGone(/\/fn\/submit$/);
  const waiting = await start(auth);
  const tabs = [page, await page.context().newPage(), await page.context().newPage()];
  for (const tab of tabs) {
    await listening(tab, () => open(tab, waiting.url));
    // Not kept as a draft, which the other tabs would be told of.
    await tab.route('**/fn/draft', (route) => route.abort());
  }
  guard.allow(/net::ERR_FAILED/, /\/fn\/draft$/);
  // On a busy machine the tabs learn of it at different times, so all of them submit at a moment that is set in advance.
  const moment = Date.now() + 1000;
  await Promise.all(tabs.map((tab, index) => tab.evaluate(([index, moment]) => {
    for (const name of ['#item-1', '#item-2']) document.querySelectorAll<HTMLElement>(`${name} input[type=radio]`)[index % 2]?.click();
    setTimeout(() => document.querySelector<HTMLElement>('#submit-btn')?.click(), moment - Date.now());
  }, [index, moment] as const)));
  for (const tab of tabs) await expect(success(tab)).toBeVisible();
});

test('what is changed after a submission to nobody is kept, and waits for another', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await waiting.kill();
  await submit(page).click();
  await expect(page.locator('#error-toast')).toContainText('提交失败: ');
  await choose(page, 1, 'session');

  // The draft reaches the new server by itself; the answers do not.
  const draft = kept(page, '"options":[1]');
  const again = await start(auth, { dir: waiting.dir, port: port(waiting.url) });
  await draft;
  await expect(page.locator('#draft-state')).toBeEmpty();
  expect(again.running).toBe(true);
  await page.reload();
  await open(page, again.url);
  await expect(radio(page, 1, 'session')).toBeChecked();
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(again, [{ id: 1, chosen: 'session' }, { id: 2, chosen: 'bcrypt' }]);
});

test('an open page says that other questions have taken the place of its own, and leads to them', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await open(page, waiting.url);
  // A draft that is still on its way would be refused by the next server, which a browser reports.
  const draft = kept(page, '"options":[0]');
  await choose(page, 1, 'jwt');
  await draft;
  const replaced = await start(other, { dir: waiting.dir, port: port(waiting.url) });
  expect(replaced.url).toBe(waiting.url);
  const { code, stderr } = await waiting.done;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^⚠ 待定项已被新的提交取代: \S+（.+）\n  建议: .+\n$/);

  await expect(page.locator('#error-toast')).toContainText('待定项已被新的待定项取代');
  await page.locator('#error-toast').getByRole('link', { name: '重新载入' }).click();
  await expect(page.locator('#task-name')).toHaveText('另一个任务');
  await open(page, replaced.url);
  await choose(page, 1, 'b');
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(replaced, [{ id: 1, chosen: 'b' }]);
});

test('a tab beside the one that decided shows what was decided, also when its server is gone', async ({ page, context, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  const other = await context.newPage();
  await open(other, waiting.url);
  const draft = kept(other, '"options":[1]');
  await choose(other, 1, 'session');
  await draft;
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;

  await expect(success(other)).toContainText('此前已有决策');
  await expect(success(other)).toContainText('JWT Token 认证');
  await expect(other.locator('#items-container')).toBeHidden();
  await expect.poll(() => other.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('4.1 the waiting page shows no error', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await listening(page, () => open(page, waiting.url));
  await expect(page.locator('#error-toast')).toBeEmpty();
  await expect(page.locator('#error-toast')).toBeHidden();
  await expect(page.locator('#draft-state')).toBeEmpty();
  await expectDecidedLater(page, waiting);
});

async function expectDecidedLater(page: Parameters<typeof answerAuth>[0], waiting: Parameters<typeof expectDecided>[0]) {
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, answers);
}

/** Answers with what the program has for scripts and people: a page elsewhere has nothing to do with it. */
const elsewhere = {
  answered: (waiting: Waiting) => fetch(`${waiting.url}/api/submit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decisions: [{ id: 1, chosen: 'session' }, { id: 2, chosen: 'argon2', note: ' 两端的空白 ' }] }),
  }),
  cancelled: async (waiting: Waiting) => run(waiting.dir, 'decide', 'cancel'),
};

test('a page of questions that were answered elsewhere shows the result, before the server goes', async ({ page, context, start, open }) => {
  const waiting = await start(auth);
  await listening(page, () => open(page, waiting.url));
  expect((await elsewhere.answered(waiting)).ok).toBe(true);
  expect((await waiting.done).code).toBe(0);
  await expect(success(page)).toContainText('此前已有决策');
  await expect(success(page)).toContainText('Session 认证');
  await expect(page.locator('#unsent')).toBeHidden();
  await expect(page.locator('#items-container')).toBeHidden();
  await context.close();
});

test('a page of questions that another process has cancelled says so', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await listening(page, () => open(page, `${waiting.url}/?lang=en`));
  const draft = kept(page, 'half a <b>word</b>');
  await note(page, 2).fill('half a <b>word</b>');
  await draft;
  expect((await elsewhere.cancelled(waiting)).code).toBe(0);
  expect((await waiting.done).code).toBe(1);
  await expect(success(page).getByRole('heading', { level: 1 })).toHaveText('Questions cancelled');
  // It will not be read, but it was the user's work.
  await expect(page.locator('#unsent')).toContainText('What you had written and not submitted:');
  await expect(page.locator('#unsent blockquote')).toHaveText(['half a <b>word</b>']);
  await expect(page.locator('#items-container')).toBeHidden();
  await expect(page.locator('#draft-state')).toBeHidden();
});

test('a page of questions that were sent back from another page says so, with the reason', async ({ page, browser, start, open, guard }) => {
  const waiting = await start(auth);
  await listening(page, () => open(page, waiting.url));
  const other = await (await browser.newContext({ locale: 'zh-CN' })).newPage();
  guard.watch(other.context());
  await open(other, waiting.url);
  await other.locator('#return summary').click();
  await other.locator('#return-message').fill('缺少成本估算');
  await other.locator('#return-btn').click();
  await waiting.done;
  await expect(success(page)).toContainText('缺少成本估算');
  await expect(page.locator('#items-container')).toBeHidden();
  await other.context().close();
});

test('a page of questions that were replaced says so also where the new ones are elsewhere', async ({ page, start, open, guard }) => {
  guard.allowGone(refused);
  const waiting = await start(auth);
  await listening(page, () => open(page, waiting.url));
  const draft = kept(page, '写到一半');
  await note(page, 1).fill('写到一半');
  await draft;
  const free = await freePort();
  const replaced = await start(other, { dir: waiting.dir, port: free });
  expect(replaced.url).not.toBe(waiting.url);
  await waiting.done;
  await expect(page.locator('#error-toast')).toContainText('待定项已被新的待定项取代');
  await expect(note(page, 1)).toHaveValue('写到一半');
  expect(replaced.running).toBe(true);
});
