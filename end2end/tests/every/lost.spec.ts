// Addresses of nothing: a page all the same, in the reader's language, and a way on.
import { minimal } from '../../lib/inputs.mjs';
import { expect, overflow, test, titleOf } from '../../lib/test.ts';

const WORDS = {
  zh: { code: 'zh-CN', page: '没有这个页面', wayOn: '打开待定项' },
  en: { code: 'en', page: 'No such page', wayOn: 'Open the questions' },
} as const;

for (const lang of ['zh', 'en'] as const) {
  test(`an address of nothing leads to the questions, ${lang}`, async ({ page, start, guard }) => {
    guard.allow(/status of 404/, /\/nowhere/);
    const waiting = await start(minimal);
    const words = WORDS[lang];
    const answer = await page.goto(`${waiting.url}/nowhere/at/all?lang=${lang}`);
    expect(answer?.status()).toBe(404);
    await expect(page.locator('html')).toHaveAttribute('lang', words.code);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(words.page);
    await expect(page).toHaveTitle(`${words.page} · Aide`);
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflow(page), `at ${width}`).toBe(0);
    }
    await page.getByRole('link', { name: words.wayOn }).click();
    await expect(page.locator('#task-name')).toHaveText(minimal.task);
    await expect(page).toHaveTitle(`(1) ${titleOf(waiting, minimal)}`);
    await expect(page.locator('html')).toHaveAttribute('lang', words.code);
  });

  test(`what is not there leads to what is there of its kind, ${lang}`, async ({ page, start, guard }) => {
    guard.allow(/status of 404/, /nowhere/);
    const waiting = await start(minimal);
    for (const [path, list] of [['/d/nowhere', /\/history\?lang=|\/\?lang=/], ['/history/nowhere', /\/history\?lang=|\/\?lang=/], ['/plans/nowhere', /\/plans\?lang=/], ['/flow/nowhere', /\/flow\?lang=/]] as const) {
      const answer = await page.goto(`${waiting.url}${path}?lang=${lang}`);
      expect(answer?.status(), path).toBe(404);
      await expect(page.locator('html'), path).toHaveAttribute('lang', WORDS[lang].code);
      await expect(page.getByRole('heading', { level: 1 }), path).not.toBeEmpty();
      await page.getByRole('main').getByRole('link').first().click();
      await expect(page, path).toHaveURL(list);
      await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible();
    }
  });
}
