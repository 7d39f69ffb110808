// A workflow that the daemon drives by itself, seen on its page from start to end, whatever the browser can do.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '../../lib/daemon.ts';
import { expect, type Mode, type Page } from '../../lib/test.ts';

const TASK = '搜索 deepseek 最新发布';
const NETWORK = '检测到网络访问，是否继续？';
const PAPERS = '找到 5 篇论文，选择哪些？';

/** Without script a person loads the page again; with it the page follows by itself. */
async function look(page: Page, mode: Mode) {
  if (mode === 'no-js') await page.locator('.reload a').click();
}

const asked = (page: Page) => page.locator('#asked');
const stages = (page: Page, stage: string) => page.locator(`.line [data-stage=${stage}]`);

test('agents work, ask on the page and in the terminal, and leave their report', async ({ page, withAgents: daemon, mode }) => {
  const dir = daemon.project();
  const terminal = daemon.watch(dir, TASK);
  await expect.poll(() => terminal.printed, 'it is asked').toContain(`❓ ${NETWORK}(Y/n)\n> `);
  await page.goto(`${daemon.url}/workflows?lang=zh`);
  await page.getByRole('link', { name: TASK }).click();
  await expect(stages(page, 'past')).toHaveText([/理解/, /路由/, /计划/]);
  await expect(stages(page, 'present')).toHaveText('执行');
  await expect(page.locator('#graph rect')).toHaveCount(3);
  await expect(page.locator('.tasks li')).toHaveText([/搜索 deepseek.*执行中/s, /选择论文.*等待/s, /写报告.*等待/s]);
  // Its agent is free for others while a person is asked.
  await expect(page.locator('#agents')).toContainText('空闲');
  // Answered on the page: the terminal no longer asks.
  await expect(asked(page)).toContainText(NETWORK);
  await expect(asked(page)).toContainText('deepseek 最新发布');
  await expect(asked(page).getByRole('button')).toHaveText(['仅允许这次调用', '在此工作流中始终允许 WEB_SEARCH', '拒绝']);
  await asked(page).getByRole('button', { name: '仅允许这次调用' }).click();
  await expect.poll(() => terminal.printed).toContain(`❓ ${NETWORK}(Y/n)\n> \n`);
  await expect.poll(() => terminal.printed, 'the next question').toContain('  3. paper3.pdf\n> ');
  expect(terminal.printed.match(/Decision: Y$/gm)).toHaveLength(1);
  // Answered in the terminal: it is gone from the page.
  await look(page, mode);
  await expect(asked(page)).toContainText(PAPERS);
  await expect(asked(page).getByRole('checkbox')).toHaveCount(3);
  await expect(page.locator('.steps')).toContainText('WEB_SEARCH');
  terminal.type('1,3');
  expect(await terminal.ended).toBe(0);
  await look(page, mode);
  await expect(asked(page)).toBeHidden();
  await expect(stages(page, 'present')).toHaveText('已完成');
  await expect(page.locator('#now')).toHaveText('已完成。');
  await expect(page.locator('.tasks li')).toHaveText([/完成/, /完成/, /完成/]);
  await expect(page.locator('#decided .log li')).toHaveText([/找到 5 篇论文.*1,3/s, /检测到网络访问.*仅允许这次调用/s]);
  await expect(page.locator('#outcome')).toContainText('./deepseek/report.md');
  await expect(page.locator('#control')).toBeHidden();
  expect(terminal.printed).toMatch(/Output saved to: \.\/deepseek\/report\.md\n$/);
  expect(readFileSync(join(dir, 'deepseek/report.md'), 'utf8')).toBe('# deepseek\n\nWhat the chosen papers say.\n');
});

test('what a model does is seen while it works', async ({ page, withAgents: daemon, mode }) => {
  const dir = daemon.project();
  daemon.hold();
  const terminal = daemon.watch(dir, TASK);
  await expect.poll(() => daemon.isHeld).toBe(true);
  await page.goto(`${daemon.url}/workflows?lang=en`);
  await page.getByRole('link', { name: TASK }).click();
  const works = page.locator('#heading li', { hasText: 'has asked example' });
  await expect(works).toBeVisible();
  // With script the seconds are counted.
  const time = works.locator('time');
  if (mode === 'no-js') await expect(time).toHaveText(/^since \d\d:\d\d:\d\d$/);
  else await expect(time).toHaveText(/^[2-9] sec$/);
  daemon.letGo();
  await expect.poll(() => terminal.printed).toContain(`❓ ${NETWORK}(Y/n)\n> `);
  await look(page, mode);
  await expect(works).toBeHidden();
  terminal.type('Y');
  await expect.poll(() => terminal.printed).toContain('  3. paper3.pdf\n> ');
  terminal.type('2');
  expect(await terminal.ended).toBe(0);
});

test('it is stopped at once, goes on, and is stopped for good on its page', async ({ page, withAgents: daemon, mode }) => {
  const dir = daemon.project();
  const terminal = daemon.watch(dir, TASK);
  await expect.poll(() => terminal.printed).toContain(`❓ ${NETWORK}(Y/n)\n> `);
  await page.goto(`${daemon.url}/workflows?lang=en`);
  await page.getByRole('link', { name: TASK }).click();
  await page.getByRole('button', { name: 'Pause now' }).click();
  await expect(page.locator('#now')).toHaveText('Paused. Nothing new starts until you resume it.');
  await expect(page.locator('.tasks li').first()).not.toContainText('running');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(stages(page, 'present')).toHaveText('executing');
  await page.locator('#cancel-ask summary').click();
  await page.getByRole('button', { name: 'Cancel the workflow' }).click();
  await expect(page.locator('#now')).toHaveText('Cancelled. No further steps will run.');
  expect(await terminal.ended).toBe(6);
  await look(page, mode);
  await expect(asked(page)).toBeHidden();
});

test('what a daemon that was killed has left is resumed on its page', async ({ page, withAgents: daemon, mode, guard }) => {
  guard.allowGone(/./);
  guard.allow(/net::ERR_INCOMPLETE_CHUNKED_ENCODING/, /\/api\/v1\/events\/stream/);
  const dir = daemon.project();
  const terminal = daemon.watch(dir, TASK);
  await expect.poll(() => terminal.printed).toContain(`❓ ${NETWORK}(Y/n)\n> `);
  const { ports } = daemon;
  await page.goto(`${daemon.url}/workflows?lang=en`);
  await page.getByRole('link', { name: TASK }).click();
  await expect(stages(page, 'present')).toHaveText('executing');
  daemon.kill();
  if (mode !== 'no-js') await expect(page.locator('#not-live')).toContainText('The connection was lost');
  daemon.start(ports);
  await look(page, mode);
  await expect(page.locator('#not-live')).toBeHidden();
  await expect(page.locator('#now')).toHaveText('Interrupted. The agents continue once you resume it.');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.locator('#now')).toBeHidden();
  // The page is in English, whatever the language of the daemon and of the terminal.
  await expect(asked(page)).toContainText('Allow network access?');
  await expect(asked(page)).not.toContainText('检测到');
  await asked(page).getByRole('button', { name: 'Allow WEB_SEARCH for this workflow' }).click();
  await expect.poll(() => terminal.printed).toContain('  3. paper3.pdf\n> ');
  terminal.type('2');
  expect(await terminal.ended).toBe(0);
  await look(page, mode);
  await expect(page.locator('#outcome')).toContainText('./deepseek/report.md');
});
