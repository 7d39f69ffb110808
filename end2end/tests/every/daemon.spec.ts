// One tab for everything: what projects, agents and workflows ask, shown by a daemon.
import { test } from '../../lib/daemon.ts';
import { english, minimal } from '../../lib/inputs.mjs';
import { agent, put } from '../../lib/sets.ts';
import { choose, expect, hydrated, note, overflow, submit, success, type Mode, type Page } from '../../lib/test.ts';

async function opened(page: Page, mode: Mode) {
  if (mode === 'hydrated') await hydrated(page);
}

test('questions of any project, agent or workflow appear in one tab, are answered there, and their askers go on', async ({ page, daemon, mode, guard }) => {
  guard.allow(/status of 404/, /\/workflows\/nowhere/);
  await page.goto(`${daemon.url}/?lang=zh`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('没有待定项');
  const links = page.locator('.sets a');
  // The tab stays open, and follows by itself.
  const first = await daemon.ask({ ...minimal, task: '商店的' });
  await expect(links).toHaveText(['商店的']);
  const second = await daemon.ask({ ...minimal, task: '博客的' });
  put(second, '2098-01-01T00-00-00', agent, { ...minimal, task: '智能体问的' });
  const { workflow, decision } = daemon.decide(first.dir, '写报告', '发布吗？', ['Y', 'n']);
  // Without script it does not, once there is a search: what is typed there would be lost.
  if (mode === 'no-js') await page.reload();
  await expect(links).toHaveCount(4);
  await expect(page).toHaveTitle('(4) Aide 收件箱');
  const asked = page.locator('.sets li', { hasText: '发布吗？' });
  await expect(asked).toContainText(`工作流 ${workflow} · 写报告`);
  await expect(asked.locator('code')).toHaveText(first.dir.split('/').at(-1) ?? '');
  await expect(page.locator('.sets li', { hasText: '博客的' }).locator('code')).toHaveText(second.dir.split('/').at(-1) ?? '');

  await page.getByRole('link', { name: '发布吗？' }).click();
  await opened(page, mode);
  await choose(page, 1, 'Y');
  await note(page, 1).fill('今晚之后');
  await submit(page).click();
  await success(page).waitFor();
  await expect.poll(() => daemon.decision(decision)).toMatchObject({ status: 'answered', response: 'Y', note: '今晚之后' });
  // Back to the workflow that asked; another tab, as there are more questions here.
  const back = await page.getByRole('link', { name: '回到工作流' }).getAttribute('href');
  const other = await page.context().newPage();
  await other.goto(new URL(back!, page.url()).href);
  await expect(other).toHaveURL(new RegExp(`/workflows/${workflow}\\?lang=zh$`));
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
  await other.goto(new URL('/workflows/nowhere?lang=zh', page.url()).href);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('没有这个工作流');
  await other.locator('.back a').click();
  await expect(other).toHaveURL(/\/workflows\?lang=zh$/);
  await other.close();
  // Each answer leads to the next, until there is none; then back to the inbox.
  for (let left = 3; left > 0; left--) {
    await page.locator('#next-set').click();
    await opened(page, mode);
    await choose(page, 1, 'b');
    await submit(page).click();
    await success(page).waitFor();
  }
  for (const waiting of [first, second]) {
    const end = await waiting.done;
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).toMatch(/✓ 决策已完成\n$/);
  }
  await expect(page.locator('#next-set')).toHaveCount(0);
  await page.locator('#next-inbox').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('没有待定项');

  // What was decided is in the history of its project, the workflow's decision as well.
  await page.locator('.projects li', { hasText: first.dir }).getByRole('link', { name: '历史' }).click();
  await expect(page.locator('.summary .chosen')).toHaveText(['写报告', '商店的'], { useInnerText: true });
  await page.getByRole('link', { name: '写报告' }).click();
  await expect(page.locator('.option.taken')).toContainText('Y');
  await page.locator('.back a').click();
  await expect(page).toHaveURL(/\/p\/[0-9a-f]{10}\/history\?lang=zh$/);
});

test('what a workflow asks can be sent back, in either language and at any width', async ({ page, daemon, mode, start }) => {
  const elsewhere = await start(english);
  const { decision } = daemon.decide(elsewhere.dir, 'Write a report', 'Which papers?', ['a.pdf', 'b.pdf', 'c.pdf']);
  await page.goto(`${daemon.url}/?lang=en`);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
  await page.getByRole('link', { name: 'Which papers?' }).click();
  await opened(page, mode);
  await expect(page.locator('#item-1 input[type=checkbox]').first()).toBeVisible();
  await page.locator('.language:visible').click();
  await opened(page, mode);
  await page.locator('summary', { hasText: '无法回答' }).click();
  await page.locator('#return-message').fill('先说清楚主题');
  await page.locator('#return-btn').click();
  await expect.poll(() => daemon.decision(decision)).toMatchObject({ status: 'returned', note: '先说清楚主题' });
});
