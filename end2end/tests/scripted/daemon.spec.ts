// The inbox of a daemon that goes and comes again, and what axe finds there.
import { expectAccessible } from '../../lib/axe.ts';
import { test } from '../../lib/daemon.ts';
import { english, minimal } from '../../lib/inputs.mjs';
import { choose, expect, hydrated, submit, success } from '../../lib/test.ts';

test('a daemon that is killed under its open pages costs nobody an answer', async ({ page, daemon, guard, mode }) => {
  guard.allowGone(/./);
  const { url, ports } = daemon;
  const waiting = await daemon.ask(minimal);
  await page.goto(`${url}/?lang=en`);
  const inbox = await page.context().newPage();
  await inbox.goto(`${url}/?lang=en`);
  await page.locator('.sets a').click();
  if (mode === 'hydrated') await hydrated(page);
  await choose(page, 1, 'b');
  daemon.kill();
  await expect(inbox.locator('#not-live')).toContainText('The connection was lost');
  // Where it was, it shows what still lies open: it knows the project.
  daemon.start(ports);
  await expect(inbox.locator('#not-live')).toBeHidden();
  await expect(inbox.locator('.sets a')).toHaveText([minimal.task]);
  await submit(page).click();
  await success(page).waitFor();
  const end = await waiting.done;
  expect([end.code, waiting.result().stdout]).toEqual([0, '{"decisions":[{"id":1,"chosen":"b"}]}\n']);
});

test('what is answered in the terminal vanishes from the tab, and the reverse', async ({ page, daemon }) => {
  const waiting = await daemon.ask(minimal);
  const { decision } = daemon.decide(waiting.dir, 'Write a report', 'Publish it?', ['Y', 'n']);
  await page.goto(`${daemon.url}/?lang=en`);
  await page.evaluate(() => ((window as { same?: boolean }).same = true));
  await expect(page.locator('.sets a')).toHaveCount(2);
  daemon.aide(waiting.dir, 'workflow', 'decision', 'respond', decision, 'n');
  await expect(page.locator('.sets a')).toHaveText([minimal.task]);
  daemon.aide(waiting.dir, 'decide', 'cancel');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing to answer');
  await expect(page).toHaveTitle('Aide inbox');
  expect(await page.evaluate(() => (window as { same?: boolean }).same)).toBe(true);
});

test('axe finds nothing in the inbox of a daemon, in what it leads to, and in an empty one', async ({ page, daemon }) => {
  await page.goto(`${daemon.url}/?lang=en`);
  await expectAccessible(page);
  const waiting = await daemon.ask(english);
  daemon.decide(waiting.dir, 'Write a report', 'Publish it?', ['Y', 'n']);
  await page.goto(`${daemon.url}/?lang=en`);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Publish it?' }).click();
  await expectAccessible(page);
  await page.goto(`${daemon.url}/?lang=zh`);
  await page.locator('.projects a').first().click();
  await expectAccessible(page);
});
