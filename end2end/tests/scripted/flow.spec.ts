// The page of a task looks by itself whether something was recorded.
import { minimal } from '../../lib/inputs.mjs';
import { task } from '../../lib/task.ts';
import { expect, test } from '../../lib/test.ts';

test('a page of a task whose server is gone says that it is not live any more', async ({ page, start, guard }) => {
  guard.allowGone(/\/flow\/version$/);
  const waiting = await start(minimal, { dir: task() });
  await page.goto(`${waiting.url}/flow`);
  await expect(page.locator('#not-live')).toBeHidden();
  await waiting.kill();
  await expect(page.locator('#not-live')).toHaveText('连接已断开，此页不再更新');
  await start(minimal, { dir: waiting.dir, port: Number(new URL(waiting.url).port) });
  await expect(page.locator('#not-live')).toBeHidden();
});
