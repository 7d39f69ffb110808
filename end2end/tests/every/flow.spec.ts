// The task that an agent works on, while a person looks at it.
import { run } from '../../lib/aide.mjs';
import { minimal } from '../../lib/inputs.mjs';
import { flow, task } from '../../lib/task.ts';
import { choose, expect, expectSuccess, overflow, submit, test } from '../../lib/test.ts';

test('the page of a task shows its phases and changes by itself when something is recorded', async ({ page, start, open }) => {
  const waiting = await start(minimal, { dir: task() });
  await page.goto(`${waiting.url}/history`);
  await page.getByRole('link', { name: '流程' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('实现用户认证模块');
  await expect(page.locator('.phases [aria-current=step]')).toContainText('impl');
  await expect(page.locator('.stay > h2')).toHaveText(['impl', 'flow-design', 'task-optimize']);
  const entered = page.locator('#step-3');
  await expect(entered).toContainText('流程设计完成');
  const command = /git show [0-9a-f]{7}/;
  await expect(entered.locator('summary')).toContainText(command);
  await entered.locator('summary').click();
  await expect(entered.getByRole('cell', { name: 'user.rs' })).toBeVisible();
  await expect(entered.getByRole('cell', { name: '+1' })).toBeVisible();

  flow(waiting.dir, 'issue', '测试覆盖率较低');
  await expect(page.locator('#step-4')).toContainText('测试覆盖率较低');
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }

  // What is decided in a phase belongs to it.
  await open(page, waiting.url);
  await choose(page, 1, 'b');
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  const again = await start({ ...minimal, task: '下一个问题' }, { dir: waiting.dir });
  await page.goto(`${again.url}/flow`);
  await page.locator('.stay').first().getByRole('link', { name: minimal.task }).click();
  await expect(page.locator('#task-name')).toHaveText(minimal.task);
});

test('tasks of the past are listed, and each shows its phases and steps', async ({ page, start }) => {
  const dir = task();
  expect(run(dir, 'flow', 'start', 'task-optimize', '下一个任务', '--yes').code).toBe(0);
  const waiting = await start(minimal, { dir });
  await page.goto(`${waiting.url}/flow?lang=zh`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('下一个任务');
  const past = page.locator('#past-tasks');
  await expect(past.getByRole('heading')).toHaveText('以前的任务');
  await expect(past.locator('li')).toHaveCount(1);
  await past.getByRole('link', { name: '实现用户认证模块' }).click();
  await expect(page).toHaveURL(/\/flow\/[^/]+\?lang=zh$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('实现用户认证模块');
  await expect(page.locator('.stay > h2').first()).toHaveText('impl');
  for (const width of [320, 360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0);
  }
  // In the other language it is the same task.
  await page.locator('.language').click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('实现用户认证模块');
});
