// The browser's own notification, for a person who looks at something else when questions arrive.
import type { BrowserContext, Page } from '@playwright/test';
import { expectAccessible } from '../../lib/axe.ts';
import { auth, minimal } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectSuccess, hydrated, kept, note, submit, test, titleOf } from '../../lib/test.ts';

interface Told {
  title: string;
  body: string;
  tag: string;
}

// A page that waits for the next questions asks a server that has ended.
const refused = /\/fn\/listen$/;
const port = (url: string) => Number(new URL(url).port);

/**
 * A browser without a window shows no notifications: what the page asks it for is written down instead. `permission` is
 * what the person has said before, `granted` what is said to the next question.
 */
async function desktop(context: BrowserContext, permission: NotificationPermission) {
  await context.addInitScript((permission) => {
    const desktop = { hidden: false, told: [] as object[], click: () => {} };
    class Shown {
      static permission = permission;
      static requestPermission = () => Promise.resolve((Shown.permission = 'granted'));
      constructor(title: string, { body, tag }: NotificationOptions) {
        desktop.told.push({ title, body, tag });
      }
      set onclick(click: () => void) {
        desktop.click = click;
      }
    }
    Object.assign(window, { Notification: Shown, desktop });
    Object.defineProperty(Document.prototype, 'hidden', { get: () => desktop.hidden });
  }, permission);
}

const lookAway = (page: Page) => page.evaluate(() => void Object.assign((window as any).desktop, { hidden: true }));
const told = (page: Page): Promise<Told[]> => page.evaluate(() => (window as any).desktop.told);

test('whoever has answered can be told of the next questions, and is led to them', async ({ page, context, start, open, guard }) => {
  guard.allowGone(refused);
  await desktop(context, 'default');
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expect(page.locator('#notify-btn')).toBeHidden();
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  // It comes later than the result, which does not move.
  const summary = () => page.locator('#success .summary').evaluate((summary) => summary.getBoundingClientRect().top);
  const top = await summary();
  await expect(page.locator('#notify-btn')).toBeVisible();
  expect(await summary()).toBe(top);
  await expect(page.locator('#notify-btn')).toHaveText('有新的待定项时通知我');
  await expectAccessible(page);
  await page.locator('#notify-btn').click();
  await expect(page.locator('#notify-btn')).toBeHidden();
  await lookAway(page);

  const next = await start(minimal, { dir: waiting.dir, port: port(waiting.url) });
  await expect(page.locator('#new-questions')).toBeVisible();
  await expect(page.locator('#new-questions')).toHaveText('有新的待定项等待您决策');
  expect(await told(page)).toEqual([{ title: titleOf(waiting, auth), body: '有新的待定项等待您决策', tag: 'aide' }]);
  await expectAccessible(page);
  await Promise.all([page.waitForNavigation(), page.evaluate(() => (window as any).desktop.click())]);
  await hydrated(page);
  await expect(page.locator('#task-name')).toHaveText('测试任务');
  await choose(page, 1, 'b');
  await submit(page).click();
  await expectSuccess(page);
  expect((await next.done).code).toBe(0);
});

test('whoever has not agreed is not told, and the page leaves the ended server alone', async ({ page, context, start, open }) => {
  await desktop(context, 'denied');
  await page.clock.install();
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  await lookAway(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.clock.runFor(60_000);
  await expect(page.locator('#notify-btn')).toBeHidden();
  expect(asked).toEqual([]);
  expect(await told(page)).toEqual([]);
});

test('whoever is still answering is told that the questions were replaced', async ({ page, context, start, open, guard }) => {
  guard.allowGone(refused);
  await desktop(context, 'granted');
  const waiting = await start(auth);
  await open(page, waiting.url);
  const draft = kept(page, '写到一半');
  await note(page, 1).fill('写到一半');
  await draft;
  await lookAway(page);
  await start(minimal, { dir: waiting.dir, port: port(waiting.url) });
  await expect(page.locator('#error-toast')).toContainText('待定项已被新的待定项取代');
  expect(await told(page)).toEqual([{
    title: `(2) ${titleOf(waiting, auth)}`, body: '待定项已被新的待定项取代，请重新载入页面；未变动的待定项会保留您的答案', tag: 'aide',
  }]);
  await expect(note(page, 1)).toHaveValue('写到一半');
});
