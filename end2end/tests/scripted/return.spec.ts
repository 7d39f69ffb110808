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
