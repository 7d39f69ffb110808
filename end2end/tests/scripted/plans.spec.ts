// The pages of plans follow what happens, and say when they cannot.
import { expectAccessible } from '../../lib/axe.ts';
import { test } from '../../lib/plan.ts';
import { expect } from '../../lib/test.ts';

test('what happens is shown without a reload, and where the focus was it stays', async ({ page, plan, guard }) => {
  const { url } = await plan.serve();
  guard.origins.add(url);
  await page.goto(`${url}/plans?lang=en`);
  await page.evaluate(() => ((window as { same?: boolean }).same = true));
  const link = page.locator('#plan-plan_handbook');
  await link.focus();
  await expect(page.locator('#plans')).toContainText('not started yet');
  plan.aide('plan', 'tick');
  await expect(page.locator('#plans')).toContainText('0 of 4 tasks done');
  await expect(link).toBeFocused();
  expect(await page.evaluate(() => (window as { same?: boolean }).same)).toBe(true);
});

test('a page whose server is gone says that it is not live any more', async ({ page, plan, guard }) => {
  guard.allowGone(/\/version\/plans\/plan_handbook\b/);
  plan.aide('plan', 'tick');
  const { url, running } = await plan.serve();
  guard.origins.add(url);
  await page.goto(`${url}/plans/plan_handbook?lang=en`);
  await expect(page.locator('#not-live')).toBeHidden();
  await running.kill();
  await expect(page.locator('#not-live')).toContainText('The connection was lost');
  await plan.serve(Number(new URL(url).port));
  await expect(page.locator('#not-live')).toBeHidden();
});

test('axe finds nothing in the pages of plans', async ({ page, plan, guard }) => {
  const { url } = await plan.serve();
  guard.origins.add(url);
  const run = plan.run();
  await page.goto(`${url}/plans/plan_handbook?lang=en`);
  await expect(page.getByRole('link', { name: 'Answer' })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${url}/plans`);
  await expectAccessible(page);
  await run.kill();
});
