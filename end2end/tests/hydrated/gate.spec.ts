// Other sites, in a browser; and the login, where one is needed. The numbers are those of the attack list (SECURITY.md).
import { chromium as browserType, type Browser, type Page } from '@playwright/test';
import { chromium } from '../../lib/chromium.mjs';
import { auth } from '../../lib/inputs.mjs';
import { answerAuth, choose, expect, expectDecided, expectSuccess, hydrated, note, radio, submit, test } from '../../lib/test.ts';

const answers = [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }];
const port = (url: string) => new URL(url).port;

/** A browser for which the name of another site leads to this machine. */
async function rebound(attack: (browser: Browser) => Promise<void>) {
  const { args, ...options } = chromium();
  const rules = '--host-resolver-rules=MAP evil.test 127.0.0.1, MAP elsewhere.test 127.0.0.1';
  // What this browser would forbid by itself, others let through: it is the gate that is tested.
  const allowed = '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,PrivateNetworkAccessSendPreflights';
  const browser = await browserType.launch({ ...options, args: [...args, rules, allowed] });
  try {
    await attack(browser);
  } finally {
    await browser.close();
  }
}

/** Shows a page of the attacker under `url`, which is served before the name leads here. */
async function attacker(browser: Browser, url: string, body = ''): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>attack</title>${body}` }));
  await page.goto(url);
  return page;
}

const ANSWER = JSON.stringify({ decisions: answers });

/** What a script can try; for each the status, or the word for being refused by the browser. */
const attempts = (page: Page, target: string) =>
  page.evaluate(
    async ({ target, answer }) => {
      const attempt = async (path: string, init?: RequestInit) => {
        try {
          const response = await fetch(target + path, init);
          const text = await response.text();
          return text.includes('<form') || text.includes('"items"') || text.includes('success') ? 'read' : response.status;
        } catch {
          return 'blocked';
        }
      };
      const headers = { 'content-type': 'application/json' };
      const socket = new Promise<string>((settle) => {
        const socket = new WebSocket(`${target.replace('http', 'ws')}/fn/draft`);
        socket.onopen = () => settle('open');
        socket.onerror = () => settle('blocked');
      });
      return {
        page: await attempt('/'),
        items: await attempt('/api/items'),
        submit: await attempt('/api/submit', { method: 'POST', headers, body: answer }),
        simple: await attempt('/api/submit', { method: 'POST', body: answer }),
        opaque: await attempt('/api/submit', { method: 'POST', mode: 'no-cors', body: answer }),
        form: await attempt('/submit', { method: 'POST', body: new URLSearchParams({ 'item-1': '0', 'item-2': '0' }) }),
        draft: await attempt('/fn/draft', { method: 'POST', headers, body: '{}' }),
        put: await attempt('/api/submit', { method: 'PUT', headers, body: answer }),
        socket: await socket,
      };
    },
    { target, answer: ANSWER },
  );

test('S12 a page whose name was made to lead here reads nothing and changes nothing', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await rebound(async (browser) => {
    const own = `http://evil.test:${port(waiting.url)}`;
    const evil = await attacker(browser, `${own}/attack`);
    const refused = 421;
    expect(await attempts(evil, own)).toEqual({
      page: refused, items: refused, submit: refused, simple: refused, opaque: refused, form: refused, draft: refused,
      put: refused, socket: 'blocked',
    });
    // As a person would be led there.
    const shown = await evil.goto(`${own}/`);
    expect(shown?.status()).toBe(refused);
    await expect(evil.locator('body')).not.toContainText('实现用户认证模块');
  });
  expect(waiting.records()).toEqual({});
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, answers);
});

test('S20 S21 a page of another site reads nothing and changes nothing', async ({ start }) => {
  const waiting = await start(auth);
  await rebound(async (browser) => {
    const evil = await attacker(browser, 'http://elsewhere.test:8080/attack');
    for (const target of [waiting.url, `http://127.0.0.1:${port(waiting.url)}`]) {
      // It learns nothing, not even that there was an answer: no resource here is for other origins.
      expect(await attempts(evil, target)).toEqual({
        page: 'blocked', items: 'blocked', submit: 'blocked', simple: 'blocked', opaque: 'blocked', form: 'blocked', draft: 'blocked',
        put: 'blocked', socket: 'blocked',
      });
    }
    // A form needs no permission to be sent; it is sent, and refused.
    for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      const session = waiting.pending()._meta.session_id;
      const form = await attacker(
        browser,
        'http://elsewhere.test:8080/form',
        `<form method=post enctype="${enctype}" action="${waiting.url}/submit"><input name=session value="${session}">` +
          '<input name=item-1 value=0><input name=item-2 value=0><button name=action value=submit>go</button></form>',
      );
      const answer = form.waitForResponse((response) => response.url().endsWith('/submit'));
      await form.locator('button').click();
      expect((await answer).status(), enctype).toBe(403);
    }
  });
  expect(waiting.records()).toEqual({});
  expect(waiting.running).toBe(true);
});

test('S72 a page of another site cannot frame this one', async ({ start }) => {
  const waiting = await start(auth);
  await rebound(async (browser) => {
    const answered: number[] = [];
    const page = await attacker(browser, 'http://elsewhere.test:8080/attack');
    page.on('response', (response) => answered.push(response.status()));
    const framed = page.waitForResponse((response) => response.url().startsWith(waiting.url));
    await page.evaluate((url) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
    }, waiting.url);
    expect((await framed).status()).toBe(403);
    for (const frame of page.frames()) {
      const text = await frame.evaluate(() => document.body?.innerText ?? '').catch(() => '');
      expect(text).not.toContain('实现用户认证模块');
    }
  });
});

/** Comes in by a link that lets in once. */
async function enter(page: Page, url: string) {
  await page.goto(url);
  await page.locator('#notice').getByRole('button').click();
  await page.waitForURL(`${new URL(url).origin}/`);
}

test('where a login is needed the link leads to the page, once', async ({ page, start, guard, browser }) => {
  // Without the login the browser reports what it was refused.
  guard.allow(/status of 401/, /./);
  const waiting = await start(auth, { args: ['--auth', 'always'] });
  expect(waiting.url).toMatch(/^http:\/\/localhost:\d+\/t\/[0-9a-f]{64}$/);
  const home = `${new URL(waiting.url).origin}/`;
  await page.goto(home);
  await expect(page.locator('#notice')).toContainText('需要登录');
  await expect(page.locator('#notice')).toContainText('aide decide open');

  // A preview opens it, and uses up nothing.
  const preview = await (await browser.newContext()).newPage();
  await preview.goto(waiting.url);
  await expect(preview.locator('#notice')).toContainText('打开待定项');
  await preview.context().close();
  await enter(page, waiting.url);
  await hydrated(page);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', secure: false });
  expect(await page.evaluate(() => document.cookie)).toBe('');

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(waiting.url);
  await expect(stranger.locator('#notice')).toContainText('此链接已失效');
  await stranger.context().close();

  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  expect((await waiting.done).code).toBe(0);
  expect(JSON.parse(waiting.result().stdout)).toEqual({ decisions: answers });
});

test('after a restart the open page says how to log in again, and keeps what was typed', async ({ page, start, guard }) => {
  guard.allowGone(/\/fn\/(draft|listen)$/);
  guard.allow(/status of 401/, /\/fn\/(draft|listen)$/);
  const args = ['--auth', 'always'];
  const waiting = await start(auth, { args });
  await enter(page, waiting.url);
  await hydrated(page);
  await choose(page, 1, 'jwt');
  await waiting.kill();
  await note(page, 2).fill('写在重启之间');

  const again = await start(auth, { dir: waiting.dir, port: Number(port(waiting.url)), args });
  await expect(page.locator('#error-toast')).toContainText('需要重新登录');
  await expect(page.locator('#error-toast')).toContainText('aide decide open');
  await choose(page, 2, 'argon2');
  const second = await page.context().newPage();
  await enter(second, again.url);
  await second.close();

  await page.locator('#error-toast').getByRole('link', { name: '重新载入' }).click();
  await hydrated(page);
  await expect(radio(page, 1, 'jwt')).toBeChecked();
  await expect(radio(page, 2, 'argon2')).toBeChecked();
  await expect(note(page, 2)).toHaveValue('写在重启之间');
  await submit(page).click();
  await expectSuccess(page);
  expect((await again.done).code).toBe(0);
});
