// Several sets of questions, of several askers, and one person.
import { english, minimal } from '../../lib/inputs.mjs';
import { agent, put, served, successor, workflow } from '../../lib/sets.ts';
import { choose, expect, hydrated, kept, note, overflow, submit, success, test, type Mode, type Page } from '../../lib/test.ts';

/** Opens a set, or whatever is shown instead, as this browser will use it. */
async function opened(page: Page, mode: Mode) {
  if (mode === 'hydrated') await hydrated(page);
}

test('three askers are answered one after the other from one inbox', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start({ ...minimal, task: '提交的' });
  put(first, '2098-01-01T00-00-00', agent, { ...minimal, task: '智能体问的' });
  put(first, '2098-01-01T00-00-01', workflow, { ...minimal, task: '工作流问的' });
  await page.goto(first.url);
  await expect(page).toHaveTitle('(3) Aide 收件箱');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 组待定项');
  const links = page.locator('.sets a');
  // What a workflow asks is one question, which says more than the task.
  await expect(links).toHaveText(['提交的', '智能体问的', minimal.items[0]!.title]);
  await expect(page.locator('.sets li').nth(2)).toContainText('工作流 wf-42 · 工作流问的');
  await expect(page.locator('.sets li').nth(1)).toContainText('智能体 coder-1 · 计划 checkout · 任务 payment');
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  // Not the oldest first: that is the person's business.
  await links.nth(1).click();
  await opened(page, mode);
  await expect(page.locator('.heading')).toContainText('另有 2 组等待决策');
  await choose(page, 1, 'b');
  await submit(page).click();
  await success(page).waitFor();
  await expect(page.locator('#next-set')).toHaveText('下一组: 提交的');
  await page.locator('#next-set').click();
  await opened(page, mode);
  await choose(page, 1, 'a');
  await submit(page).click();
  await success(page).waitFor();
  // What was submitted has its answer, and the server of it has gone; another one goes on.
  const end = await first.done;
  expect(end.code).toBe(0);
  const ended = await successor(first);
  await page.locator('#next-set').click();
  await opened(page, mode);
  await expect(page.locator('#task-name')).toHaveText('工作流问的');
  await choose(page, 1, 'b');
  await submit(page).click();
  await success(page).waitFor();
  await expect(page.locator('#next-set')).toHaveCount(0);
  await expect.poll(() => Object.values(first.records()).map((record) => [record.input.task, record.output.decisions[0].chosen])).toEqual([
    expect.arrayContaining([expect.any(String)]),
    expect.arrayContaining([expect.any(String)]),
    expect.arrayContaining([expect.any(String)]),
  ]);
  const chosen = Object.fromEntries(Object.values(first.records()).map((record) => [record.input.task, record.output.decisions[0].chosen]));
  expect(chosen).toEqual({ 提交的: 'a', 智能体问的: 'b', 工作流问的: 'b' });
  await ended();
});

test('a set that arrives while another is answered is led to, and the inbox shows it by itself where there is a script', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start(minimal);
  await page.goto(first.url);
  await opened(page, mode);
  await choose(page, 1, 'a');
  const second = await start({ ...minimal, task: '后来的' }, { dir: first.dir, args: ['--queue'] });
  expect(second.url).toBe(first.url);
  // In another tab.
  const inbox = await page.context().newPage();
  await inbox.goto(first.url);
  await expect(inbox.locator('.sets a')).toHaveCount(2);
  put(first, '2098-01-01T00-00-00', agent, { ...minimal, task: '最后的' });
  // Without script a page that loads itself would take away what is typed into the search.
  if (mode === 'no-js') await inbox.getByRole('link', { name: '重新载入以查看变化' }).click();
  await expect(inbox.locator('.sets a')).toHaveText([minimal.task, '后来的', '最后的']);
  await expect(inbox).toHaveTitle('(3) Aide 收件箱');
  await inbox.close();

  await submit(page).click();
  await success(page).waitFor();
  await expect(page.locator('#next-set')).toHaveText('下一组: 后来的');
  await first.done;
  await served(first.url);
  await page.locator('#next-set').click();
  await opened(page, mode);
  await choose(page, 1, 'b');
  await submit(page).click();
  await success(page).waitFor();
  const end = await second.done;
  expect([end.code, end.stdout]).toEqual([0, `→ Web 服务正在运行\n→ 请访问: ${first.url}\n→ 等待用户完成决策...\n✓ 决策已完成\n`]);
  expect(end.stderr).toMatch(/^→ 前面还有 1 组待定项\n→ 获取结果: aide decide result \S+\n$/);

  // The set that no client waits for is served as well.
  const ended = await successor(first);
  await page.locator('#next-set').click();
  await opened(page, mode);
  await expect(page.locator('#task-name')).toHaveText('最后的');
  await choose(page, 1, 'a');
  await submit(page).click();
  await success(page).waitFor();
  await ended();
});

test('what was given for one set is kept while the person looks at another, in either language', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start(english);
  const other = put(first, '2098-01-01T00-00-00', agent, { ...minimal, task: 'Another' });
  await page.goto(`${first.url}/?lang=en`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 sets of questions');
  await page.locator('.sets a').nth(1).click();
  await opened(page, mode);
  await choose(page, 1, 'b');
  await note(page, 1).fill('typed');
  if (mode === 'hydrated') await page.waitForResponse((response) => response.url().endsWith('/fn/draft') && response.ok());
  // Links where a script keeps what was typed, buttons where none does.
  await page.locator('.history:visible', { hasText: 'Inbox' }).click();
  await expect(page.locator('.sets li').nth(1)).toContainText('1 of 1 question answered');
  await page.locator('.language:visible').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 组待定项');
  await page.locator('.sets a').nth(1).click();
  await opened(page, mode);
  await expect(note(page, 1)).toHaveValue('typed');
  await page.locator('.language:visible').click();
  await opened(page, mode);
  await expect(page).toHaveURL(mode === 'hydrated' ? new RegExp(`/d/${other}\\?lang=en$`) : /lang=en$/);
  await expect(note(page, 1)).toHaveValue('typed');
  await expect(page.locator('.heading')).toContainText('1 more set is waiting');
});

test('an inbox can be worked through with the keyboard alone', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start(minimal);
  put(first, '2098-01-01T00-00-00', agent, { ...minimal, task: '第二组' });
  await page.goto(first.url);
  await page.locator('.sets a').first().focus();
  await page.keyboard.press('Enter');
  await opened(page, mode);
  let ended = async () => {};
  for (const task of [minimal.task, '第二组']) {
    await expect(page.locator('#task-name')).toHaveText(task);
    await page.locator('#item-1 input').first().focus();
    await page.keyboard.press('Space');
    await submit(page).focus();
    await page.keyboard.press('Enter');
    await success(page).waitFor();
    if (task === '第二组') break;
    await first.done;
    ended = await successor(first);
    // The way on is the first thing after the result.
    await page.keyboard.press('Tab');
    await expect(page.locator('#next-set')).toBeFocused();
    await page.keyboard.press('Enter');
    await opened(page, mode);
  }
  await expect.poll(() => Object.keys(first.records()).length).toBe(2);
  await ended();
});

test('what is typed into the search stays there, whatever happens meanwhile', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start(minimal);
  put(first, '2098-01-01T00-00-00', agent, { ...minimal, task: '第二组' });
  await page.goto(`${first.url}/?project=${encodeURIComponent(first.dir)}`);
  await expect(page.locator('.sets a')).toHaveCount(2);
  await page.locator('#search').fill('第');
  put(first, '2098-01-01T00-00-01', agent, { ...minimal, task: '第三组' });
  if (mode === 'no-js') {
    // Nothing on the page loads it.
    await expect(page.locator('meta[http-equiv]')).toHaveCount(0);
    const link = page.getByRole('link', { name: '重新载入以查看变化' });
    expect(await link.getAttribute('href')).toContain(`project=${encodeURIComponent(first.dir)}`);
  } else {
    await expect(page.locator('.sets a')).toHaveCount(3);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 组待定项');
  }
  await expect(page.locator('#search')).toHaveValue('第');
  await page.locator('#filter button').click();
  await expect(page.locator('.sets a')).toHaveText(['第二组', '第三组']);
});

test('the inbox is searched and filtered, by state as well, and the address names what is shown', async ({ page, start, guard, mode }) => {
  guard.allowGone(/./);
  const first = await start({ ...english, task: 'Not started' });
  const begun = put(first, '2098-01-01T00-00-00', agent, { ...english, task: 'Begun' });
  const complete = put(first, '2098-01-01T00-00-01', agent, { ...english, task: 'Complete' });
  put(first, '2098-01-01T00-00-02', agent, { ...english, task: 'Due' }, '2999-01-15T10:30:00+08:00');
  for (const [set, chosen] of [[begun, ['jwt']], [complete, ['jwt', 'bcrypt']]] as const) {
    await page.goto(`${first.url}/d/${set}?lang=en`);
    await opened(page, mode);
    const draft = mode === 'hydrated' && kept(page, `"id":${chosen.length}`);
    for (const [index, value] of chosen.entries()) await choose(page, index + 1, value);
    await draft;
    if (mode !== 'hydrated') await page.locator('.history:visible', { hasText: 'Inbox' }).click();
  }
  const sets = page.locator('.sets a');
  const shown = async (heading: string, ...tasks: string[]) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    await expect(sets).toHaveText(tasks);
  };
  await page.goto(`${first.url}/?lang=en`);
  await shown('4 sets of questions', 'Not started', 'Begun', 'Complete', 'Due');
  // First what it is, then the ways to see less of it.
  const [heading, filter, list] = await Promise.all(['h1', '#filter', '.sets'].map((part) => page.locator(part).boundingBox()));
  expect(heading!.y + heading!.height).toBeLessThanOrEqual(filter!.y);
  expect(filter!.y + filter!.height).toBeLessThanOrEqual(list!.y);
  const state = page.getByRole('combobox', { name: 'Any state' });
  const show = page.getByRole('button', { name: 'Search', exact: true });
  for (const [value, label, ...tasks] of [
    ['new', 'Not started', 'Not started', 'Due'],
    ['begun', 'Partly answered', 'Begun'],
    ['complete', 'Answered, not submitted', 'Complete'],
    ['due', 'With a deadline', 'Due'],
  ] as const) {
    await state.selectOption({ label });
    await show.click();
    await expect(page).toHaveURL(new RegExp(`[?&]state=${value}(&|$)`));
    await shown(tasks.length > 1 ? '2 sets of questions' : '1 set of questions', ...tasks);
    await expect(state).toHaveValue(value);
  }
  // The address is all that is needed, in the other language too.
  await page.goto(`${first.url}/?state=new&search=started&lang=en`);
  await shown('1 set of questions', 'Not started');
  await page.locator('.language').click();
  await expect(page.getByRole('combobox', { name: '全部状态' })).toHaveValue('new');
  await expect(page.locator('#search')).toHaveValue('started');
  await shown('1 组待定项', 'Not started');
  await page.goto(`${first.url}/?state=complete&search=begun&lang=en`);
  await shown('Inbox');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('No questions match');
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.getByRole('link', { name: 'Show all' }).click();
  await shown('4 sets of questions', 'Not started', 'Begun', 'Complete', 'Due');
  // What is no state is none.
  await page.goto(`${first.url}/?state=nothing&lang=en`);
  await shown('4 sets of questions', 'Not started', 'Begun', 'Complete', 'Due');
});
