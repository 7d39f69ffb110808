// Behind a reverse proxy that serves the page below a path of its host.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Daemon } from '../../lib/daemon.ts';
import { auth } from '../../lib/inputs.mjs';
import { nginx } from '../../lib/nginx.mjs';
import { proxy } from '../../lib/proxy.mjs';
import { answerAuth, expect, note, submit, test, wayOut } from '../../lib/test.ts';

const PATH = '/user/ann/proxy/4130/';
const below = /^\/user\/ann\/proxy\/4130\//;
const decisions = [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt', note: '前缀' }];

/** What the server says to a request for a WebSocket. */
const upgraded = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const asked = get(url, { headers }, (answer) => resolve(answer.statusCode));
    asked.on('error', reject).on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode);
    });
  });

for (const begin of [proxy, nginx]) {
  for (const strip of [true, false]) {
    const where = `below a path that ${begin === nginx ? 'nginx' : 'a proxy'} ${strip ? 'takes away' : 'leaves'}`;

    test(`${where} everything works`, async ({ page, start, open }) => {
      const front = await begin(PATH, strip);
      try {
        const waiting = await start(auth, { args: ['--url', front.url] });
        await front.forward(JSON.parse(readFileSync(join(waiting.dir, '.aide/decisions/server.json'), 'utf8')).port);
        await open(page, front.url);
        await answerAuth(page);
        await note(page, 2).fill('前缀');
        // Away, and back to what was given.
        await (await wayOut(page, 'language')).click();
        await expect(page.locator('html')).toHaveAttribute('lang', 'en');
        expect(new URL(page.url()).pathname).toMatch(below);
        await expect(note(page, 2)).toHaveValue('前缀');
        const api = await page.request.get(`${front.url}api/items`);
        expect((await api.json()).items).toHaveLength(2);
        await submit(page).click();
        await expect(page.locator('#success')).toBeVisible();
        const { code, stdout } = await waiting.done;
        expect([code, stdout]).toEqual([0, expect.stringContaining(`→ 请访问: ${front.url}\n`)]);
        expect(JSON.parse(waiting.result().stdout)).toEqual({ decisions });
      } finally {
        await front.close();
      }
    });

    // The rest is the same behind any proxy that forwards what it should.
    if (begin !== nginx) continue;

    test(`${where} a login lets in, and its cookie is for that path alone`, async ({ page, start, open, context }) => {
      const front = await begin(PATH, strip);
      try {
        const waiting = await start(auth, { args: ['--url', front.url, '--auth', 'always'] });
        await front.forward(JSON.parse(readFileSync(join(waiting.dir, '.aide/decisions/server.json'), 'utf8')).port);
        expect((await page.request.get(front.url)).status()).toBe(401);
        // A look by a machine does not use the ticket up.
        expect((await page.request.get(waiting.url)).status()).toBe(200);
        await page.goto(waiting.url);
        await page.getByRole('button').first().click();
        await page.waitForURL(front.url);
        await open(page, front.url);
        expect((await context.cookies(front.url)).map((cookie) => cookie.path)).toEqual([PATH]);
        await answerAuth(page);
        await note(page, 2).fill('前缀');
        await submit(page).click();
        await expect(page.locator('#success')).toBeVisible();
        expect((await waiting.done).code).toBe(0);
        expect(JSON.parse(waiting.result().stdout)).toEqual({ decisions });
      } finally {
        await front.close();
      }
    });

    test(`${where} the daemon works`, async ({ page, open, guard }) => {
      const front = await begin(PATH, strip);
      const daemon = new Daemon(undefined, ['--url', front.url]);
      try {
        guard.origins.add(new URL(front.url).origin);
        await front.forward(daemon.ports.http);
        const waiting = await daemon.ask(auth);
        expect(waiting.url).toMatch(new RegExp(`^${front.url}d/`));
        expect(await upgraded(`${front.url}ws`)).toBe(101);
        const state = await page.request.get(`${front.url}api/v1/workflows`);
        expect([state.status(), await state.json()]).toEqual([200, expect.anything()]);
        // From the inbox to the questions and to the answer.
        await page.goto(front.url);
        await page.locator('main a[href*="/d/"]').first().click();
        expect(new URL(page.url()).pathname).toMatch(below);
        await open(page, page.url());
        await answerAuth(page);
        await note(page, 2).fill('前缀');
        await submit(page).click();
        await expect(page.locator('#success')).toBeVisible();
        expect(new URL(page.url()).pathname).toMatch(below);
        expect((await waiting.done).code).toBe(0);
        expect(JSON.parse(waiting.result().stdout)).toEqual({ decisions });
      } finally {
        guard.end();
        await daemon.remove();
        await front.close();
      }
    });
  }
}
