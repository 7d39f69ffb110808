// Pictures: the one that the README shows, and those that somebody looks at before work is called done.
import { fileURLToPath } from 'node:url';
import { auth, english, questions } from '../lib/inputs.mjs';
import { answerAuth, choose, expect, expectSuccess, isSubmission, note, submit, test, type Page } from '../lib/test.ts';

const path = (name: string) => fileURLToPath(new URL(`../test-results/${name}.png`, import.meta.url));

async function picture(page: Page, file: string, fullPage = true) {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.mouse.move(0, 0);
  // A window as high as the page: what sticks to its edges is where it belongs, and covers nothing.
  const window = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (fullPage && window) await page.setViewportSize({ width: window.width, height });
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  if (fullPage && window) await page.setViewportSize(window);
}

test('the page', async ({ page, start, open }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await note(page, 1).fill('刷新令牌放在 HttpOnly Cookie 里');
  await picture(page, fileURLToPath(new URL('../../docs/images/page.png', import.meta.url)));
  await picture(page, path('window'), false);
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, path('dark'));
});

test('narrow and wide', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.setViewportSize({ width: 360, height: 740 });
  await picture(page, path('narrow'));
  await picture(page, path('narrow-window'), false);
  await page.setViewportSize({ width: 2560, height: 1300 });
  await picture(page, path('wide'), false);
});

test('50 items', async ({ page, start, open }) => {
  const waiting = await start(questions(50));
  await open(page, waiting.url);
  for (const id of [1, 2, 4]) await choose(page, id, 'redis');
  await picture(page, path('50-items'), false);
});

test('keys', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.keyboard.press('?');
  await picture(page, path('keys'), false);
});

test('error and success', async ({ page, context, start, open, guard }) => {
  guard.allow(/net::ERR_FAILED/, /\/fn\//);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await note(page, 2).fill('团队更熟悉 bcrypt');
  await context.route(isSubmission, (route) => route.abort());
  await submit(page).click();
  await expect(page.locator('#error-toast')).toContainText('提交失败');
  await picture(page, path('error'), false);
  // The page sends them by itself when it is heard again.
  await context.unroute(isSubmission);
  await expectSuccess(page);
  await picture(page, path('success'), false);
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, path('success-dark'), false);
});

test('without script', async ({ browser, start, guard }) => {
  guard.allow(/status of 400/, /\/submit/);
  const waiting = await start(auth);
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'zh-CN', viewport: { width: 1280, height: 900 } });
  guard.watch(context);
  const page = await context.newPage();
  await page.goto(waiting.url);
  await choose(page, 1, 'jwt');
  await submit(page).click();
  await expect(page.locator('#error')).toBeVisible();
  await page.screenshot({ path: path('plain-error') });
  await choose(page, 2, 'bcrypt');
  await submit(page).click();
  await expectSuccess(page);
  await page.screenshot({ path: path('plain-success') });
  await context.close();
});

test('English', async ({ page, start, open }) => {
  const waiting = await start(english);
  await open(page, `${waiting.url}/?lang=en`);
  await picture(page, path('english'));
});

test('on paper', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await page.setViewportSize({ width: 794, height: 1123 }); // A4
  await page.emulateMedia({ media: 'print' });
  await picture(page, path('paper'));
});
