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
  for (const [id, recommended] of [[1, 'memory'], [25, 'memory'], [50, 'redis']] as const) {
    await expect(item(page, id).locator('legend')).toBeVisible();
    const [memory, redis] = recommended === 'memory' ? ['进程内存 推荐', '独立的 Redis'] : ['进程内存', '独立的 Redis 推荐'];
    await expect(item(page, id).locator('.option-label')).toHaveText([memory, redis]);
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

test('several options that are described alike are the rows of a table, and cards where there is no room', async ({ page, start, open }) => {
  const described = (value: string, score: number) => ({ value, label: value, score, pros: [`for ${value}`], cons: [`against ${value}`] });
  const plain = { value: 'later', label: 'decide later, when more is known than today' };
  const options = [described('first', 100), described('second', 7.5), plain];
  const waiting = await start({ task: 't', source: 's', items: [{ id: 1, title: 'which', options }] });
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, waiting.url);
  const left = async (selector: string) =>
    page.locator(selector).evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)));
  for (const cell of ['.option-score', '.option-pro', '.option-con']) {
    const [first, second] = await left(cell);
    expect(second, cell).toBe(first);
  }
  const [score, pros, cons] = (await Promise.all(['.option-score', '.option-pro', '.option-con'].map(left))).map(([at]) => at ?? 0);
  expect(score).toBeLessThan(pros ?? 0);
  expect(pros).toBeLessThan(cons ?? 0);
  await expect(page.locator('.column-heads')).toBeVisible();
  // Each column has its own head.
  const [, ...heads] = await left('.column-heads > *');
  expect(heads).toEqual([score, pros, cons]);
  // To those who hear the page nothing changes.
  await expect(page.getByRole('radio', { name: 'second' })).toHaveAccessibleDescription(/评分: 7.5.*优点: *for second.*缺点: *against second/);

  await page.setViewportSize({ width: 360, height: 800 });
  await expect(page.locator('.column-heads')).toBeHidden();
  expect(await overflow(page)).toBe(0);
  const [narrowScore, narrowPros] = (await Promise.all(['.option-score', '.option-pro'].map(left))).map(([at]) => at);
  expect(narrowScore).toBe(narrowPros);
});

test('a long explanation is folded, and a short one is not', async ({ page, start, open }) => {
  const options = [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }];
  const context = Array.from({ length: 30 }, (_, line) => `Paragraph ${line + 1}.`).join('\n\n');
  const waiting = await start({ task: 't', source: 's', items: [
    { id: 1, title: 'long', context, options },
    { id: 2, title: 'short', context: 'short', options },
  ] });
  await open(page, waiting.url);
  await expect(page.locator('.fold')).toHaveCount(1);
  const height = async () => (await page.locator('#item-1 .item-context').boundingBox())?.height ?? 0;
  const folded = await height();
  await page.getByText('显示全部说明').click();
  expect(await height()).toBeGreaterThan(folded * 2);
});
