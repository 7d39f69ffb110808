// The page on every kind of paper and glass.
import { auth, questions } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectSuccess, item, overflow, submit, success, test } from '../../lib/test.ts';

for (const width of [360, 768, 1280, 2560]) {
  test(`fits a window of ${width} pixels, before and after`, async ({ page, start, open }) => {
    await page.setViewportSize({ width, height: 800 });
    const waiting = await start(auth);
    await open(page, waiting.url);
    expect(await overflow(page)).toBe(0);
    // Progress and submit stay in sight, wherever the reader is.
    await expect(submit(page)).toBeInViewport({ ratio: 1 });
    await expect(page.locator('#progress-text')).toBeInViewport({ ratio: 1 });
    await answerAuth(page);
    await expect(submit(page)).toBeInViewport({ ratio: 1 });
    await submit(page).click();
    await expectSuccess(page);
    expect(await overflow(page)).toBe(0);
  });
}

test('the last item of many can be brought into sight, and is not covered', async ({ page, start, open }) => {
  const waiting = await start(questions(50));
  await open(page, waiting.url);
  await choose(page, 50, 'memory');
  await expect(item(page, 50).locator('label.option').last()).toBeInViewport({ ratio: 1 });
  expect(await overflow(page)).toBe(0);
});

test('on paper every question is there and nothing floats over it', async ({ page, start, open }) => {
  const waiting = await start(questions(50));
  await open(page, waiting.url);
  await choose(page, 1, 'redis');
  await page.emulateMedia({ media: 'print' });
  for (const id of [1, 25, 50]) {
    await expect(item(page, id).locator('legend')).toBeVisible();
    await expect(item(page, id).locator('.option-label')).toHaveText(['进程内存', '独立的 Redis']);
  }
  const floating = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => ['fixed', 'sticky'].includes(getComputedStyle(element).position) && element.getClientRects().length > 0)
      .map((element) => `${element.tagName}.${element.className}`));
  expect(floating).toEqual([]);
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});

test('motion ends within 150 ms, and there is none when it is not wanted', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const longest = () => page.evaluate(() => {
    const seconds = (list: string) => list.split(',').map((time) => parseFloat(time) * (time.trim().endsWith('ms') ? 0.001 : 1));
    return Math.max(...[...document.querySelectorAll('*')].flatMap((element) =>
      ['', '::before', '::after'].flatMap((pseudo) => {
        const style = getComputedStyle(element, pseudo);
        const animated = style.animationName === 'none' ? [] : seconds(style.animationDuration);
        return [0, ...seconds(style.transitionDuration), ...animated];
      })));
  });
  expect(await longest()).toBeLessThanOrEqual(0.15);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await longest()).toBeLessThanOrEqual(0.001);
  await answerAuth(page);
  await submit(page).click();
  await expect(success(page)).toBeVisible();
  expect(await longest()).toBeLessThanOrEqual(0.001);
});
