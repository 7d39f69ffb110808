// Earlier decisions, while other questions are open.
import { auth, minimal } from '../../lib/inputs.mjs';
import {
  answerAuth, choose, expect, expectSuccess, note, overflow, radio, submit, test, wayOut,
} from '../../lib/test.ts';

test('an earlier decision is found while another is made, and nothing of that is lost', async ({ page, start, open }) => {
  const first = await start(auth);
  await open(page, first.url);
  await answerAuth(page);
  await note(page, 2).fill('团队更熟悉 bcrypt');
  await submit(page).click();
  await expectSuccess(page);
  await first.done;

  const second = await start(minimal, { dir: first.dir });
  await open(page, second.url);
  await choose(page, 1, 'b');
  await note(page, 1).fill('半句');
  await (await wayOut(page, 'history')).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('历史');
  const entries = page.locator('.summary > li');
  await expect(entries).toHaveCount(2);
  await expect(entries.first()).toContainText('测试任务');
  await expect(entries.first()).toContainText('待决策');
  // A word for which there is room everywhere; what is searched is its name.
  await expect(page.getByRole('searchbox', { name: '在任务、来源、标题、选项、备注和退回原因中搜索' })).toHaveAttribute('placeholder', '搜索');
  await page.getByRole('searchbox').fill('不存在');
  await page.getByRole('button', { name: '搜索' }).click();
  await expect(page.getByRole('heading', { name: '没有找到' })).toBeVisible();
  await page.getByRole('searchbox').fill('BCRYPT 熟悉');
  await page.getByRole('searchbox').press('Enter');
  await expect(entries).toHaveCount(1);
  await entries.getByRole('link').click();

  await expect(page.locator('#task-name')).toHaveText(auth.task);
  await expect(page.locator('#item-1 .taken .option-label')).toHaveText('JWT Token 认证 推荐 已选');
  await expect(page.locator('#item-1')).toContainText('采纳推荐');
  await expect(page.locator('#item-2 .reason')).toHaveText('团队更熟悉 bcrypt');
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `at ${width}`).toBe(0);
  }
  const download = page.waitForEvent('download');
  await page.locator('#export').click();
  expect((await download).suggestedFilename()).toMatch(/^aide-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.md$/);

  await page.getByRole('link', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.locator('#item-1')).toContainText('as recommended');
  await page.getByRole('link', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await (await wayOut(page, 'history')).click();
  await expect(radio(page, 1, 'b')).toBeChecked();
  await expect(note(page, 1)).toHaveValue('半句');
  await submit(page).click();
  await expectSuccess(page);
  await second.done;
  expect(second.result().stdout).toBe('{"decisions":[{"id":1,"chosen":"b","note":"半句"}]}\n');
});

test('the history finds options that were not chosen, by all that was said of them', async ({ page, start, open }) => {
  const first = await start(auth);
  await open(page, first.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await first.done;
  const second = await start(minimal, { dir: first.dir });
  const [, session] = auth.items[0]!.options!;
  const [, argon2] = auth.items[1]!.options!;
  const entries = page.locator('.summary > li');
  for (const words of [session!.label, argon2!.label.toUpperCase(), session!.pros![0]!, argon2!.cons![0]!]) {
    await page.goto(`${second.url}/history?lang=zh`);
    await page.getByRole('searchbox').fill(words);
    await page.getByRole('button', { name: '搜索' }).click();
    await expect(entries, words).toHaveCount(1);
    await expect(entries, words).toContainText(auth.task);
  }
});
