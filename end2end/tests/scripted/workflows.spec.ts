// The page of a workflow that follows by itself: what happens elsewhere, a daemon that goes and comes again, and what axe finds.
import { expectAccessible } from '../../lib/axe.ts';
import { test } from '../../lib/daemon.ts';
import { expect } from '../../lib/test.ts';

const plan = [
  { id: 'task-1', description: 'Search' },
  { id: 'task-2', description: 'Write', dependencies: ['task-1'] },
];

test('what is answered in the terminal vanishes from the page, and the reverse, and nothing that was written is lost', async ({ page, daemon }) => {
  const dir = daemon.project();
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, plan);
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  await page.evaluate(() => ((window as { same?: boolean }).same = true));
  const first = await daemon.question(workflow, 'Publish it?', ['Y', 'n']);
  const second = await daemon.question(workflow, 'How long is it?');
  await expect(page.locator('.question')).toHaveCount(2);
  const words = page.locator(`#words-${second}`);
  await words.fill('ten pag');
  daemon.aide(dir, 'workflow', 'decision', 'respond', first, 'n');
  await expect(page.locator('.question')).toHaveCount(1);
  // What is being written stays, with the focus and the caret.
  await expect(words).toBeFocused();
  await page.keyboard.type('es');
  await expect(words).toHaveValue('ten pages');
  expect(await page.evaluate(() => (window as { same?: boolean }).same)).toBe(true);
  await page.locator('#asked').getByRole('button', { name: 'Answer' }).click();
  await expect(page.locator('#asked')).toBeHidden();
  const shown = daemon.aide(dir, 'workflow', 'decision', 'list', '--json');
  expect(shown).not.toContain('"pending"');
});

test('what has changed is said to whoever does not see it', async ({ page, daemon }) => {
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, plan);
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  await daemon.question(workflow, 'Publish it?', ['Y', 'n']);
  await expect(page.locator('#heard')).toHaveText('Phase: executing · 1 question waits for you');
});

test('a page of a daemon that is killed says so, and goes on where it was', async ({ page, daemon, guard }) => {
  guard.allowGone(/./);
  guard.allow(/net::ERR_INCOMPLETE_CHUNKED_ENCODING/, /\/api\/v1\/events\/stream/);
  const { url, ports } = daemon;
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, plan);
  await page.goto(`${url}/workflows/${workflow}?lang=en`);
  await page.locator('#input').fill('not sent yet');
  daemon.kill();
  await expect(page.locator('#not-live')).toContainText('The connection was lost');
  daemon.start(ports);
  await expect(page.locator('#not-live')).toBeHidden();
  await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: 'executor-research' });
  await expect(page.locator('.tasks li').first()).toContainText('running');
  await expect(page.locator('#input')).toHaveValue('not sent yet');
});

test('axe finds nothing on any page of workflows', async ({ page, daemon }) => {
  await page.goto(`${daemon.url}/workflows?lang=en`);
  await expectAccessible(page);
  const workflow = await daemon.begin('Write a report');
  await daemon.plan(workflow, plan);
  await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: 'executor-research' });
  const step = { thought: 'Look', action: 'WEB_SEARCH', observation: '5 found' };
  await daemon.step(workflow, 'task_progress', { taskId: 'task-1', agentId: 'executor-research', progress: 5, ...step });
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  await expectAccessible(page);
  await page.locator('#events summary').first().click();
  await expect(page.locator('#events pre.json').first()).toBeVisible();
  await expectAccessible(page);
  const event = await page.locator('#events li').first().getAttribute('data-seq');
  await page.goto(`${daemon.url}/workflows/${workflow}/events/${event}?lang=en`);
  await expectAccessible(page);
  await page.goto(`${daemon.url}/workflows/${workflow}?lang=en`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(page.locator('#now')).toContainText('Paused.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await daemon.question(workflow, 'Publish it?', ['Y', 'n']);
  await daemon.question(workflow, 'Which papers?', ['a.pdf', 'b.pdf', 'c.pdf']);
  await daemon.question(workflow, 'How long is it?');
  await expect(page.locator('.question')).toHaveCount(3);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await daemon.step(workflow, 'cancel_requested');
  await expect(page.locator('#control')).toBeHidden();
  await expectAccessible(page);
  await page.goto(`${daemon.url}/workflows?lang=zh`);
  await expectAccessible(page);
});
