// What was changed can be had back by a button as well: a phone has no key for it.
import { many, two } from '../../lib/showcase.mjs';
import { expect, radio, test, type Mode, type Page } from '../../lib/test.ts';
import type { Browser } from '@playwright/test';

const WORDS = {
  zh: { undo: '撤销', redo: '恢复', changed: '已更改第 1 项的答案', undone: '已撤销: 已更改第 1 项的答案' },
  en: { undo: 'Undo', redo: 'Redo', changed: 'Answer to 1 changed', undone: 'Undone: Answer to 1 changed' },
} as const;

/** A page on a phone, as this browser will use it. */
async function phone(browser: Browser, guard: { watch: (context: never) => void }, mode: Mode, viewport = { width: 360, height: 740 }) {
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport });
  guard.watch(context as never);
  if (mode === 'wasm-blocked') await context.route('**/*.wasm', (route) => route.abort());
  return { context, page: await context.newPage() };
}

/** Brings an option to where a finger can touch it, and touches it. */
async function tap(page: Page, id: number, value: string) {
  const label = page.locator(`#item-${id} label.option[data-value="${value}"]`);
  await label.evaluate((option) => option.scrollIntoView({ block: 'start' }));
  await label.tap();
}

for (const lang of ['zh', 'en'] as const) {
  const words = WORDS[lang];

  test(`a finger undoes what it has changed, ${lang}`, async ({ browser, start, open, guard, mode }) => {
    const waiting = await start(two(lang) as never);
    const { context, page } = await phone(browser, guard, mode);
    await open(page, `${waiting.url}/?lang=${lang}`);
    const line = page.locator('#changed');
    const undo = page.getByRole('button', { name: words.undo, exact: true });
    await expect(undo).toBeHidden();
    await tap(page, 1, 'jwt');
    await tap(page, 1, 'session');
    // Nothing about keys.
    await expect(line).toHaveText(words.changed, { useInnerText: true });
    await expect(undo).toBeInViewport({ ratio: 1 });
    const { width, height } = (await undo.boundingBox())!;
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(32);
    await undo.tap();
    await expect(line).toHaveText(words.undone);
    await expect(radio(page, 1, 'jwt')).toBeChecked();
    // What was undone can be had again.
    const redo = page.getByRole('button', { name: words.redo, exact: true });
    await expect(redo).toBeInViewport({ ratio: 1 });
    await redo.tap();
    await expect(radio(page, 1, 'session')).toBeChecked();
    await expect(line).toHaveText(words.changed, { useInnerText: true });
    await expect(redo).toBeHidden();
    await undo.tap();
    await undo.tap();
    await expect(page.locator('#item-1 input:checked')).toHaveCount(0);
    await expect(page.locator('#progress-text')).toHaveText(lang === 'zh' ? '已完成 0/2 项' : '0 of 2 answered');
    // There is nothing left to undo.
    await expect(undo).toBeHidden();
    await expect(redo).toBeInViewport({ ratio: 1 });
    await context.close();
  });

  test(`what was changed stands on the edge of the bar and covers nothing of it, ${lang}`, async ({ browser, start, open, guard, mode }) => {
    const waiting = await start(many(lang, 12) as never, { args: ['--timeout', '3000'] });
    const { context, page } = await phone(browser, guard, mode);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await tap(page, 1, 'memory');
    const undo = page.locator('#undo');
    await expect(undo).toBeVisible();
    const bar = page.locator('.bar');
    const { height } = (await bar.boundingBox())!;
    for (const [width, most] of [[320, 180], [360, 740], [640, 360], [1280, 800]] as const) {
      await page.setViewportSize({ width, height: most });
      await expect(undo, `at ${width}`).toBeInViewport({ ratio: 1 });
      for (const part of ['#submit-btn', '#review-btn', '#recommend-btn', '#progress-text', '#time-limit summary']) {
        const [edge, other] = await Promise.all([page.locator('#change').boundingBox(), page.locator(part).boundingBox()]);
        const apart = edge!.x + edge!.width <= other!.x || other!.x + other!.width <= edge!.x || edge!.y + edge!.height <= other!.y + 1 || other!.y + other!.height <= edge!.y;
        expect(apart, `${part} at ${width}: ${JSON.stringify([edge, other])}`).toBe(true);
      }
      expect((await bar.boundingBox())!.height, `at ${width}`).toBeCloseTo(most < 320 ? 43 : height, -1);
    }
    await context.close();
  });
}

test('what a mouse has changed is seen, and undone by the button once a key has told of it', async ({ page, start, open }) => {
  const waiting = await start(two('en') as never);
  await open(page, `${waiting.url}/?lang=en`);
  const undo = page.locator('#undo');
  await page.locator('#item-1 label.option[data-value="jwt"]').click();
  await expect(page.locator('#changed')).toBeHidden();
  await expect(undo).toBeHidden();
  await page.keyboard.press('ArrowDown');
  await expect(radio(page, 1, 'session')).toBeChecked();
  const line = page.locator('#changed');
  await expect(line).toHaveText('Answer to 1 changed · u undoes it', { useInnerText: true });
  // Where there is little room the key is left out, and where there is very little, the words are only heard.
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(line).toHaveText('Answer to 1 changed', { useInnerText: true });
  await page.setViewportSize({ width: 320, height: 180 });
  expect((await line.boundingBox())!.width).toBe(1);
  await expect(line).toHaveText(/^Answer to 1 changed/);
  await expect(undo).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 800 });
  await undo.click();
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(radio(page, 1, 'jwt')).toBeFocused();
});
