// What axe-core finds, in every state. axe is itself a script and cannot run where there are none; the page without WASM is
// the same as the page without script.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectAccessible } from '../../lib/axe.ts';
import { auth, english, minimal, questions } from '../../lib/inputs.mjs';
import { agent, put } from '../../lib/sets.ts';
import { answerAuth, choose, expect, expectSuccess, isSubmission, submit, test } from '../../lib/test.ts';

test('axe finds nothing in the empty form, a started one and the farewell', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expectAccessible(page);
  await choose(page, 1, 'jwt');
  await expectAccessible(page);
  await choose(page, 2, 'bcrypt');
  await expectAccessible(page);
  await submit(page).click();
  await expectSuccess(page);
  await expectAccessible(page);
});

test('axe finds nothing where something went wrong', async ({ page, context, start, open, guard, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  if (mode === 'hydrated') {
    // The test cuts the connection: the browser reports each request that fails.
    guard.allow(/net::ERR_FAILED/, /\/fn\/(submit|draft)$/);
    await answerAuth(page);
    await context.route(isSubmission, (route) => route.abort());
    await submit(page).click();
    await expect(page.locator('#error-toast')).toContainText('提交失败');
  } else {
    // The page comes back with the status 400, which the browser reports.
    guard.allow(/status of 400/, /\/submit\b/);
    await choose(page, 1, 'jwt');
    await submit(page).click();
    await expect(page.locator('#error')).toBeVisible();
  }
  await expectAccessible(page);
});

test('axe finds nothing in questions of every kind, and in the record of them', async ({ page, start, open }) => {
  const options = [{ value: 'go', label: 'Go', description: 'It **cannot** be taken back: [more](https://example.com/).\n\n- a\n- b', pros: ['soon'] }];
  const waiting = await start({
    task: 't',
    source: 's',
    items: [{ id: 1, title: 'name', kind: 'text', options: [] }, { id: 2, title: 'go', kind: 'confirm', recommend: 'go', options }],
  });
  await open(page, waiting.url);
  await expectAccessible(page);
  await page.locator('#other-1').fill('x');
  await page.locator('#item-2 input').check();
  await expectAccessible(page);
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  const next = await start(english, { dir: waiting.dir });
  await page.goto(`${next.url}/history`);
  await page.locator('.summary a[href^="/history/"]').first().click();
  await expectAccessible(page);
});

test('axe finds nothing in the history', async ({ page, start, open }) => {
  const first = await start(auth);
  await open(page, first.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await first.done;
  const second = await start(english, { dir: first.dir });
  for (const path of ['/history', '/history?q=jwt', '/history?q=nowhere&lang=en']) {
    await page.goto(second.url + path);
    await expectAccessible(page);
  }
  await page.goto(`${second.url}/history`);
  await page.locator('.summary a[href^="/history/"]').click();
  await expect(page.locator('.taken')).toHaveCount(2);
  await expectAccessible(page);
});

test('axe finds nothing in the inbox, in one of its sets and where it leads on', async ({ page, start, open, guard }) => {
  guard.allowGone(/./);
  const waiting = await start(minimal);
  put(waiting, '2098-01-01T00-00-00', agent, { ...minimal, task: 'Another' });
  for (const lang of ['zh', 'en']) {
    await page.goto(`${waiting.url}/?lang=${lang}`);
    await expectAccessible(page);
  }
  await open(page, `${waiting.url}/d/2098-01-01T00-00-00`);
  await expectAccessible(page);
  await choose(page, 1, 'a');
  await submit(page).click();
  await page.locator('#next-set').waitFor();
  await expectAccessible(page);
});

test('axe finds nothing in the page of a task', async ({ page, start }) => {
  const waiting = await start(english);
  const entry = (step: number, action: string, git_commit?: string) => ({
    timestamp: '2025-01-15T10:30:00+08:00', action, phase: 'impl', step, summary: `Step ${step}`, git_commit,
  });
  const path = join(waiting.dir, '.aide/flow-status.json');
  for (const history of [[], [entry(1, 'start', '0123456789abcdef0123456789abcdef01234567'), entry(2, 'error'), entry(3, 'next-step')]]) {
    const task = { task_id: '2025-01-15T10-30-00', current_phase: 'impl', current_step: 3, started_at: '2025-01-15T10:30:00+08:00', history };
    // A page that is open loads itself anew when the task changes, and would do so while the next is on its way.
    await page.goto('about:blank');
    if (history.length > 0) writeFileSync(path, JSON.stringify(task));
    for (const lang of ['zh', 'en']) {
      await page.goto(`${waiting.url}/flow?lang=${lang}`);
      await expectAccessible(page);
    }
  }
});

test('axe finds nothing on a narrow page, an English one and one of 50 items', async ({ page, start, open }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const few = await start(english);
  await open(page, `${few.url}/?lang=en`);
  await expectAccessible(page);
  const many = await start(questions(50));
  await open(page, many.url);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expectAccessible(page);
});
