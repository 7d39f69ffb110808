// What is open is seen from another tab as well.
import { auth } from '../../lib/inputs.mjs';
import { choose, expect, test } from '../../lib/test.ts';

test('title and icon count what is open', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const icon = page.locator('link[rel=icon]');
  await expect(page).toHaveTitle('(2) Aide 待定项确认');
  await expect(icon).toHaveAttribute('href', /%3E2%3C\/text/);
  await choose(page, 1, 'jwt');
  await expect(page).toHaveTitle('(1) Aide 待定项确认');
  await choose(page, 2, 'argon2');
  await expect(page).toHaveTitle('Aide 待定项确认');
  await expect(icon).toHaveAttribute('href', /%3E✓%3C\/text/);
});
