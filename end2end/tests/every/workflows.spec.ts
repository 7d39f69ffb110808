// A workflow on its page, followed from start to end and steered there, whatever the browser can do.
import { test } from '../../lib/daemon.ts';
import { expect, overflow, type Mode, type Page } from '../../lib/test.ts';

/** Without script a person loads the page again; with it the page follows by itself. */
async function look(page: Page, mode: Mode) {
  if (mode === 'no-js') await page.locator('.reload a').click();
}

const present = (page: Page) => page.locator('.line [aria-current=step]');

test('a workflow is followed from its start to its end, and what it asks is answered on its page', async ({ page, daemon, mode }) => {
  await page.goto(`${daemon.url}/workflows?lang=zh`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('还没有工作流');
  const workflow = await daemon.begin('搜索 deepseek 最新发布');
  await page.getByRole('link', { name: '搜索 deepseek 最新发布' }).click();
  await expect(present(page)).toHaveText('理解');
  await daemon.plan(workflow, [
    { id: 'task-1', description: '搜索' },
    { id: 'task-2', description: '选论文', dependencies: ['task-1'] },
    { id: 'task-3', description: '写报告', dependencies: ['task-2'] },
  ]);
  await look(page, mode);
  await expect(present(page)).toHaveText('执行');
  await expect(page.locator('#graph rect')).toHaveCount(3);
  await expect(page.locator('.tasks li')).toHaveText([/搜索.*就绪/s, /选论文.*等待/s, /写报告.*等待/s]);

  await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: 'executor-research' });
  const step = { thought: '先看官方发布', action: 'WEB_SEARCH', observation: '找到 10 条结果' };
  await daemon.step(workflow, 'task_progress', { taskId: 'task-1', agentId: 'executor-research', progress: 50, ...step });
  const network = await daemon.question(workflow, '检测到网络访问，是否继续？', ['Y', 'n'], { taskId: 'task-1' });
  await look(page, mode);
  await expect(page).toHaveTitle(/^\(1\) 搜索 deepseek 最新发布/);
  for (const text of Object.values(step)) await expect(page.locator('.steps')).toContainText(text);
  await page.locator('#asked').getByRole('button', { name: '是', exact: true }).click();
  await expect(page.locator('#asked')).toBeHidden();
  expect(await daemon.decision(network)).toMatchObject({ status: 'answered', response: 'Y' });

  await daemon.step(workflow, 'task_completed', { taskId: 'task-1', result: { found: 10 } });
  await daemon.step(workflow, 'task_started', { taskId: 'task-2', agentId: 'executor-research' });
  const papers = await daemon.question(workflow, '找到 5 篇论文，选择哪些？', ['paper1.pdf', 'paper2.pdf', 'paper3.pdf']);
  await look(page, mode);
  await page.getByLabel('paper1.pdf').check();
  await page.getByLabel('paper3.pdf').check();
  await page.locator('#asked').getByRole('button', { name: '回答' }).click();
  await expect(page.locator('#decided')).toContainText('1,3');
  expect(await daemon.decision(papers)).toMatchObject({ selected: ['paper1.pdf', 'paper3.pdf'] });

  await daemon.step(workflow, 'task_completed', { taskId: 'task-2' });
  await daemon.step(workflow, 'task_started', { taskId: 'task-3', agentId: 'executor-general' });
  await daemon.step(workflow, 'task_completed', { taskId: 'task-3' });
  await daemon.step(workflow, 'review_passed', { output: { path: './deepseek/report.md', output: '报告正文' } });
  await look(page, mode);
  await expect(present(page)).toHaveText('已完成');
  await expect(page.locator('#outcome')).toContainText('./deepseek/report.md');
  await expect(page.locator('#outcome')).toContainText('报告正文');
  await expect(page.locator('#control')).toBeHidden();
});

test('it is paused, told something, resumed and ended on its page', async ({ page, daemon }) => {
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, [{ id: 'task-1', description: 'Write it' }]);
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(present(page)).toHaveText('paused');
  await expect(page.locator('#say-hint')).toHaveText('This ends the pause: the workflow starts over with your input.');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(present(page)).toHaveText('executing');
  await page.getByLabel('Send input to the workflow').fill('ten pages at most');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.locator('#events')).toContainText('ten pages at most');
  await page.locator('#cancel-ask summary').click();
  await page.getByRole('button', { name: 'Cancel the workflow' }).click();
  await expect(present(page)).toHaveText('cancelled');
  await expect(page.locator('.tasks .mark')).toHaveText('not done');
  await expect(page.locator('#graph .state')).toHaveText('not done · task-1');
});

test('of what a person is to agree to nothing is out of sight', async ({ page, daemon }) => {
  const workflow = await daemon.begin('Clean up');
  const command = `find . -name ${'long'.repeat(40)} -print   ; echo ${'and so on '.repeat(20)}; rm -rf build`;
  const context = `\`SHELL_EXEC\`\n\ncommand:\n\n\`\`\`text\n${command}\n\`\`\`\n`;
  await daemon.question(workflow, 'Run it?', ['Y', 'n'], { context });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  const call = page.locator('#asked .item-context pre');
  await expect(call).toHaveText(command, { useInnerText: true });
  expect(await call.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
});

test('the events are sentences, each with its JSON behind', async ({ page, daemon, mode }) => {
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, [{ id: 'task-1', description: 'Write it' }]);
  await page.goto(`${daemon.url}/workflows/${workflow}?group=PHASE&lang=en`);
  const event = page.locator('#events [data-type=phase_transition]').first();
  await expect(event).toContainText('Phase: planning → executing');
  await expect(event.locator('pre')).toBeHidden();
  await event.locator('summary').click();
  // With script it appears there; without, a link leads to it.
  const link = event.getByRole('link', { name: 'Open the JSON' });
  if (mode === 'no-js') await link.click();
  const json = page.locator('pre.json');
  await expect(json).toContainText('"to": "execution"');
  await expect(link).toHaveCount(0);
  if (mode === 'no-js') {
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Phase: planning → executing');
    await page.getByRole('link', { name: workflow }).click();
    await expect(page.locator('#events')).toBeVisible();
  } else {
    // It stays when more happens.
    const transitions = page.locator('#events [data-type=phase_transition]');
    const before = await transitions.count();
    await daemon.step(workflow, 'pause_requested');
    await expect(transitions).toHaveCount(before + 1);
    await expect(json).toContainText('"to": "execution"');
    await expect(json).toBeVisible();
  }
});

test('workflows are looked for on their page', async ({ page, daemon }) => {
  const [report, money] = [await daemon.begin('Write a report'), await daemon.begin('Count money')];
  await page.goto(`${daemon.url}/workflows?lang=en`);
  await expect(page.locator('#list li')).toHaveCount(2);
  await page.getByRole('searchbox', { name: 'Search' }).fill('MONEY');
  await page.locator('#filter').getByRole('button', { name: 'Search' }).click();
  await expect(page.locator('#list li a')).toHaveAttribute('id', `workflow-${money}`);
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByLabel('Any state').selectOption('completed');
  await page.locator('#filter').getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('No workflow matches');
  await page.getByLabel('Any state').selectOption('active');
  await page.locator('#filter').getByRole('button', { name: 'Search' }).click();
  await expect(page.locator(`#workflow-${report}`)).toBeVisible();
});

test('workflows of one project are looked for on their page', async ({ page, daemon }) => {
  const [shop, bank] = [daemon.project(), daemon.project()];
  const begin = (dir: string, task: string) => /^Workflow started: (\S+)$/m.exec(daemon.aide(dir, 'orchestrate', task))?.[1] ?? '';
  const [report, second, money] = [begin(shop, 'Write a report'), begin(shop, 'Write another'), begin(bank, 'Count money')];
  await page.goto(`${daemon.url}/workflows?lang=en`);
  const listed = page.locator('#list li a');
  const filter = page.locator('#filter');
  const project = page.getByLabel('Any project');
  await expect(listed).toHaveCount(3);
  // Each project is offered once, by its whole path, below the entry for all.
  await expect(project.locator('option')).toHaveCount(3);
  await project.selectOption(shop);
  await filter.getByRole('button', { name: 'Search' }).click();
  await expect(listed).toHaveCount(2);
  await expect(page.locator(`#workflow-${money}`)).toHaveCount(0);
  expect(new URL(page.url()).searchParams.get('project')).toBe(shop);
  // It holds together with the search, and stays chosen.
  await expect(project).toHaveValue(shop);
  await page.getByRole('searchbox', { name: 'Search' }).fill('another');
  await filter.getByRole('button', { name: 'Search' }).click();
  await expect(listed).toHaveCount(1);
  await expect(listed).toHaveAttribute('id', `workflow-${second}`);
  await page.getByRole('link', { name: 'Show all' }).click();
  await project.selectOption(bank);
  await filter.getByRole('button', { name: 'Search' }).click();
  await expect(listed).toHaveAttribute('id', `workflow-${money}`);
  // One of another project is nowhere, and one that is not there at all leads back to all.
  await page.goto(`${daemon.url}/workflows?lang=en&project=${encodeURIComponent('/nowhere')}`);
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('No workflow matches');
  await page.getByRole('link', { name: 'Show all' }).first().click();
  await expect(page.locator(`#workflow-${report}`)).toBeVisible();
});

test('a thousand tasks and very many events stay usable, at any width', async ({ page, daemon }) => {
  const workflow = await daemon.begin('A large migration');
  const tasks = Array.from({ length: 1000 }, (_, at) => ({
    id: `task-${at + 1}`,
    description: `Part ${at + 1}`,
    dependencies: at > 1 ? [`task-${Math.floor(at / 2)}`] : [],
  }));
  await daemon.plan(workflow, tasks);
  await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: 'executor-coding' });
  for (let at = 0; at < 60; at++) await daemon.step(workflow, 'task_progress', { taskId: 'task-1', progress: at });
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
  await expect(page.locator('.tasks li')).toHaveCount(50);
  await page.getByRole('link', { name: 'Later tasks' }).click();
  await expect(page.locator('.tasks li').first()).toContainText('Part 51');
  await page.getByRole('link', { name: 'tasks', exact: true }).click();
  await page.getByRole('link', { name: 'Older events' }).click();
  await expect(page.locator('#events .log li')).toHaveCount(11);
  await expect(page.locator('.tasks li').first(), 'the other list stays where it was').toContainText('Part 51');
});

test('who answers what was interrupted is told so, and resumes it there', async ({ page, daemon }) => {
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, [{ id: 'task-1', description: 'Write it' }]);
  const asked = await daemon.question(workflow, 'Go on?', ['Y', 'n']);
  const { setId } = await daemon.decision(asked);
  const { ports } = daemon;
  daemon.kill();
  daemon.start(ports);
  await page.goto(`${daemon.url}/d/workflow.${setId}?lang=en`);
  await expect(page.locator('.lead')).toContainText(' · the workflow is interrupted');
  await page.locator('.item').getByRole('radio').first().check();
  await page.locator('#submit-btn').click();
  await expect(page.locator('#halted')).toContainText('The workflow is interrupted. It continues once you resume it.');
  await page.locator('#halted').getByRole('button', { name: 'Resume' }).click();
  await expect(page).toHaveURL(new RegExp(`/workflows/${workflow}`));
  await expect(present(page)).toHaveText('executing');
  await expect(page.locator('main')).not.toContainText('Interrupted.');
});
