// A plan from its first command to its end, as whoever supervises it sees it.
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
  await expect(page.locator('#plans')).toContainText('1 个问题等待您', { timeout: 30_000 });
  await expect(page).toHaveTitle('(1) Aide 计划');
  await page.locator('#plan-plan_handbook').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A handbook in two chapters');
  const task = (name: string) => page.locator('.rows > li').filter({ has: page.getByText(name, { exact: true }) });
  await expect(task('task_chapter_2').first()).toContainText('已完成');
  await expect(task('task_chapter_2').first()).toContainText('重做 1 次');
  await expect(task('task_handbook').first()).toContainText('approval.md');
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
