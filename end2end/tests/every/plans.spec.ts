// A plan from its first command to its end, as its supervisor sees it.
import { test } from '../../lib/plan.ts';
import { expectAttached, field, file } from '../../lib/files.ts';
import { expect, hydrated, overflow, submit, success } from '../../lib/test.ts';

test('a plan asks for a file, gets it on the page, and ends by itself', async ({ page, plan, guard, mode }) => {
  const { url } = await plan.serve();
  guard.origins.add(url);
  await page.goto(`${url}/plans`);
  await expect(page.locator('.rows .chosen').first()).toHaveText('A handbook in two chapters');
  const run = plan.run();
  // It follows by itself; without script every five seconds.
  await expect(page.locator('#plans')).toContainText('1 项等待您决策', { timeout: 30_000 });
  await expect(page).toHaveTitle('(1) Aide 计划');
  await expect(page.getByRole('heading', { name: '智能体', exact: true })).toBeVisible();
  await expect(page.locator('#plans .lead')).toContainText('1 个');
  await page.locator('#plan-plan_handbook').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A handbook in two chapters');
  const task = (name: string) => page.locator('.rows > li').filter({ has: page.getByText(name, { exact: true }) });
  await expect(task('task_chapter_2').first()).toContainText('已完成');
  await expect(task('task_chapter_2').first()).toContainText('重做 1 次');
  await expect(task('task_handbook').first()).toContainText('approval.md');
  // What the program itself says is in the language of the page.
  const alerts = (name: string) => page.locator('.part', { has: page.getByRole('heading', { name, exact: true }) }).locator('.chosen');
  await expect(alerts('告警')).toContainText(['缺少输入，已请求人工处理: approval.md']);
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `overflow at ${width}`).toBeLessThanOrEqual(0);
  }

  await page.getByRole('link', { name: '去回答' }).click();
  if (mode === 'hydrated') await hydrated(page);
  await expect(page.locator('.heading')).toContainText('plan_handbook');
  await field(page, 1).setInputFiles([file('approval.md', 'Approved.\n')]);
  // Nothing is sent while a file is on its way.
  if (mode !== 'no-js') await expectAttached(page, 1, 'approval.md');
  await submit(page).click();
  await success(page).waitFor();
  const { code, stderr } = await run.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('✗') });
  expect(plan.handbook()).toContain('# Answering');

  // The server has not ended with the questions.
  await page.goto(`${url}/plans/plan_handbook?lang=en`);
  await expect(page.locator('.facts')).toContainText('4 of 4 tasks done');
  await expect(page.locator('.heading .mark')).toHaveText('completed');
  await expect(page.getByRole('link', { name: 'Answer' })).toHaveCount(0);
  await expect(alerts('Alerts')).toContainText(['Inputs are missing; the user is asked: approval.md']);
  // Its graph, and what came of it.
  await expect(page.getByRole('heading', { name: 'Graph' })).toBeVisible();
  await expect(page.locator('.graph .node')).toHaveCount(4);
  await expect(page.locator('.graph .node[data-state=COMPLETED]')).toHaveCount(4);
  const results = page.locator('.part', { has: page.getByRole('heading', { name: 'Results' }) });
  await expect(results.locator('li', { hasText: 'handbook.md' })).toContainText('artifacts/plan_handbook/task_handbook/handbook.md');
  await page.getByRole('link', { name: 'Questions' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing to answer');
  await page.getByRole('link', { name: 'Plans' }).click();
  await expect(page.locator('#plans')).toContainText('agent_editor');
});

for (const lang of ['zh', 'en'] as const) {
  test(`a plan that has not run says how it begins, and what there is to be done, ${lang}`, async ({ page, plan, guard }) => {
    const { url } = await plan.serve();
    guard.origins.add(url);
    await page.goto(`${url}/plans/plan_handbook?lang=${lang}`);
    await expect(page.locator('.heading .lead')).toHaveText(lang === 'zh' ? 'plan_handbook 尚未运行；执行 aide plan run 后开始。' : 'plan_handbook has not run yet; run aide plan run to begin.');
    await expect(page.locator('.heading code')).toHaveText('aide plan run');
    const tasks = page.locator('.part', { has: page.getByRole('heading', { name: lang === 'zh' ? '任务' : 'Tasks', exact: true }) });
    await expect(tasks.locator('.mark')).toHaveText(Array(4).fill(lang === 'zh' ? '未开始' : 'not started'));
    await expect(tasks).toContainText(lang === 'zh' ? '先做: task_chapter' : 'after task_chapter');
    // A name alone stands in the middle of its box; what is wider than the window fades away.
    const middles = await page.locator('.graph .node').evaluateAll((nodes) => nodes.map((node) => {
      const [box, name] = ['rect', '.task'].map((part) => node.querySelector(part)!.getBoundingClientRect());
      return Math.abs(box!.top + box!.bottom - name!.top - name!.bottom) / 2;
    }));
    expect(Math.max(...middles)).toBeLessThan(3);
    const drawing = page.locator('.drawing');
    const fade = () => drawing.evaluate((drawing) => parseFloat(getComputedStyle(drawing).getPropertyValue('--fade')));
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(fade).toBe(64);
    await drawing.evaluate((drawing) => drawing.scrollTo(drawing.scrollWidth, 0));
    await expect.poll(fade).toBe(0);
  });
}
