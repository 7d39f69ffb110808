// What is open is seen from another tab as well.
import { auth } from '../../lib/inputs.mjs';
import { choose, expect, test, titleOf } from '../../lib/test.ts';

test('title and icon count what is open', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const icon = page.locator('link[rel=icon]');
  await expect(page).toHaveTitle(`(2) ${titleOf(waiting, auth)}`);
  await expect(icon).toHaveAttribute('href', /%3E2%3C\/text/);
  await choose(page, 1, 'jwt');
  await expect(page).toHaveTitle(`(1) ${titleOf(waiting, auth)}`);
  await choose(page, 2, 'argon2');
  await expect(page).toHaveTitle(titleOf(waiting, auth));
  await expect(icon).toHaveAttribute('href', /%3E✓%3C\/text/);
});

test('a task that begins with a number keeps it', async ({ page, start, open }) => {
  const input = { ...auth, task: '(3) 个待定项' };
  const waiting = await start(input);
  await open(page, waiting.url);
  await expect(page).toHaveTitle(`(2) ${titleOf(waiting, input)}`);
  await choose(page, 1, 'jwt');
  await expect(page).toHaveTitle(`(1) ${titleOf(waiting, input)}`);
  await choose(page, 2, 'argon2');
  await expect(page).toHaveTitle(titleOf(waiting, input));
});
