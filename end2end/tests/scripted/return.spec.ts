// What opens below the bar comes into sight by itself. Without script, the person scrolls.
import { auth } from '../../lib/inputs.mjs';
import { expect, test } from '../../lib/test.ts';

for (const size of [{ width: 360, height: 740 }, { width: 1280, height: 900 }]) {
  test(`what is opened comes into view, ${size.width} × ${size.height}`, async ({ page, start, open }) => {
    const waiting = await start(auth);
    await page.setViewportSize(size);
    await open(page, waiting.url);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const button = page.locator('#return-btn');
    await expect(button).toBeHidden();
    await page.locator('#return summary').click();
    await expect(button).toBeInViewport({ ratio: 1 });
    const isAboveTheBar = async () => {
      const [of, bar] = await Promise.all([button.boundingBox(), page.locator('.bar').boundingBox()]);
      return of!.y + of!.height <= bar!.y;
    };
    await expect.poll(isAboveTheBar).toBe(true);
  });
}

test('who opens the way out by a click writes at once: no letter of it is a key', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.locator('#return summary').click();
  const message = page.locator('#return textarea');
  await expect(message).toBeFocused();
  await page.keyboard.type('in bx3da: not ours');
  await expect(message).toHaveValue('in bx3da: not ours');
  await expect(page.locator('.item input:checked')).toHaveCount(0);
  // It is closed by a click as well.
  await page.locator('#return summary').click();
  await expect(message).toBeHidden();
});
