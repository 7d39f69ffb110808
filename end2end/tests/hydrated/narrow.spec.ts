// What opens above the bar, and what is said there, in a phone and in a small window that is enlarged.
import { many, two } from '../../lib/showcase.mjs';
import { choose, expect, kept, overflow, test, type Page } from '../../lib/test.ts';

const LANGUAGES = ['zh', 'en'] as const;
const PHONE = { width: 360, height: 740 };
/** A window of 1280 at 400 %. */
const ZOOMED = { width: 320, height: 180 };

/** Where a part stands. */
const edges = (page: Page, part: string) => page.locator(part).evaluate((part) => {
  const { top, bottom } = part.getBoundingClientRect();
  return { top: Math.round(top), bottom: Math.round(bottom) };
});

/** Sends the questions back without a reason. */
async function sendBack(page: Page) {
  await page.keyboard.press('i');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('#return-error')).toBeVisible();
  await expect(page.locator('#return-message')).toBeFocused();
}

for (const lang of LANGUAGES) {
  test(`on a phone no notice lies on what is sent back, which stands on the bar, ${lang}`, async ({ page, start, open }) => {
    await page.setViewportSize(PHONE);
    const waiting = await start(two(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await sendBack(page);
    // Where there is room beside it, the change can be undone meanwhile.
    await expect(page.locator('#change')).toBeHidden();
    const [panel, count] = await Promise.all([edges(page, '#return'), edges(page, '#progress-text')]);
    expect(panel.bottom).toBeLessThanOrEqual(count.top);
    expect(count.top - panel.bottom).toBeLessThanOrEqual(4);
    await page.locator('#return-message').blur();
    await expect(page.locator('#undo')).toBeVisible();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('#return-message').focus();
    const [wide, change] = await Promise.all([edges(page, '#return'), edges(page, '#change')]);
    expect(wide.bottom).toBeLessThanOrEqual(change.top);
  });

  test(`in an enlarged window what is missing and where to write it are in sight, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await sendBack(page);
    await page.setViewportSize(ZOOMED);
    await expect(page.locator('#return-error')).toBeInViewport({ ratio: 1 });
    const [panel, field, bar] = await Promise.all([edges(page, '#return'), edges(page, '#return-message'), edges(page, '.bar')]);
    expect(Math.abs(panel.bottom - bar.top)).toBeLessThanOrEqual(1);
    expect(panel.top).toBeGreaterThanOrEqual(0);
    // A line of it at least.
    expect(panel.bottom - field.top).toBeGreaterThanOrEqual(24);
    expect(await overflow(page)).toBe(0);
  });

  test(`in an enlarged window a panel stands on the bar, and its last line inside of it, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never, { args: ['--timeout', '3000'] });
    await open(page, `${waiting.url}/?lang=${lang}`);
    await expect(page.getByRole('timer')).toHaveText(/^49:/);
    await page.setViewportSize(ZOOMED);
    for (const panel of ['#time-limit', '#keys']) {
      await page.locator(`${panel} summary`).click();
      const [box, bar] = await Promise.all([edges(page, `${panel} .panel`), edges(page, '.bar')]);
      expect(Math.abs(box.bottom - bar.top), panel).toBeLessThanOrEqual(1);
      expect(box.top, panel).toBeGreaterThanOrEqual(0);
      if (panel === '#time-limit') {
        // Above the time, by which it is closed.
        const [label, time] = await Promise.all([edges(page, '#time-limit label'), edges(page, '#time-limit summary')]);
        expect(label.top).toBeGreaterThan(box.top);
        expect(label.bottom).toBeLessThanOrEqual(time.top);
      }
      await page.locator(`${panel} summary`).click();
      await expect(page.locator(`${panel} .panel`)).toBeHidden();
    }
  });

  test(`in an enlarged window the button that loads newer questions is in sight, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    // A draft that is still on its way would be refused by the next server, which a browser reports.
    const draft = kept(page, '"options":[0]');
    await choose(page, 1, 'jwt');
    await draft;
    await start(many(lang, 3) as never, { dir: waiting.dir, port: Number(new URL(waiting.url).port) });
    await page.setViewportSize(ZOOMED);
    const reload = page.locator('#error-toast .button');
    await expect(reload).toBeInViewport({ ratio: 1 });
    // Nor is it behind the bar.
    const [button, row] = await Promise.all([edges(page, '#error-toast .button'), edges(page, '.bar-row')]);
    expect(button.bottom).toBeLessThanOrEqual(row.top);
    await reload.click();
    await expect(page.locator('.item')).toHaveCount(3);
  });
}
