// What every test here stands on: a fresh project, the real program in it, and a browser in which nothing may go wrong.
import { test as base, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { basename } from 'node:path';
import { ask, project, remove, type Start, type Waiting } from './aide.mjs';
import type { Input } from './inputs.mjs';

export { expect };
export type { Page, Waiting };

/** What the browser can do. */
export type Mode = 'hydrated' | 'no-js' | 'wasm-blocked';

export interface Options {
  mode: Mode;
}

interface Fixtures {
  guard: Guard;
  /** Folders that are removed when all that writes there has ended: what starts such a program asks for this fixture before. */
  folders: string[];
  /** Asks a question in a project of its own; `dir` and `port` of an earlier one start it again there. */
  start: (input: Input, options?: Start) => Promise<Waiting>;
  /** Opens a page and waits until it can be used as this browser will use it. */
  open: (page: Page, url: string) => Promise<void>;
}

/**
 * The browser's errors for a request to a server that has gone: no listener, or the connection breaks off, or was kept from an
 * earlier request and has broken off since.
 */
const GONE = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

/** Collects what must never happen. A test that provokes one of these says so with `allow`. */
class Guard {
  readonly problems: string[] = [];
  readonly origins = new Set<string>();
  #allowed: { text: RegExp; url: RegExp }[] = [];
  #over = false;

  /** Ends the watch: from here on the servers go away under pages that may still be loading. */
  end() {
    this.#over = true;
  }

  #note(problem: string) {
    if (!this.#over) this.problems.push(problem);
  }

  /** Lets an error in the console pass: `text` and the address that it is about must both match. */
  allow(text: RegExp, url: RegExp) {
    this.#allowed.push({ text, url });
  }

  /** Lets pass what is said of requests for `url` to a server that has gone. */
  allowGone(url: RegExp) {
    this.allow(GONE, url);
  }

  watch(context: BrowserContext) {
    context.on('console', (message) => {
      const { url } = message.location();
      const allowed = this.#allowed.some((entry) => entry.text.test(message.text()) && entry.url.test(url));
      if (message.type() === 'error' && !allowed) this.#note(`console: ${message.text()} (${url})`);
    });
    // Scripts that the policy blocked are reported on the console; this is everything else.
    context.on('weberror', (error) => this.#note(`page: ${error.error().stack ?? error.error().message}`));
    context.on('dialog', (dialog) => {
      this.#note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && !this.origins.has(origin)) this.#note(`left the origin: ${request.url()}`);
    });
  }
}

export const test = base.extend<Options & Fixtures>({
  mode: ['hydrated', { option: true }],

  guard: async ({ mode }, use) => {
    const guard = new Guard();
    // The browser fetches the icon when it likes, also once the answer has ended the server.
    guard.allowGone(/\/favicon\.svg$/);
    // And when the page that named it has just been left for an empty one, in whose name it may not.
    guard.allow(/favicon\.svg' from origin 'null' has been blocked/, /^about:blank$/);
    guard.allow(/net::ERR_FAILED/, /\/favicon\.svg$/);
    // The one thing that a browser without WASM cannot help saying: that this file did not arrive.
    if (mode === 'wasm-blocked') guard.allow(/^Failed to load resource: net::ERR_FAILED$/, /\.wasm$/);
    await use(guard);
    expect(guard.problems, 'console errors, page errors, dialogs and requests to elsewhere').toEqual([]);
  },

  context: async ({ context, guard, mode }, use) => {
    guard.watch(context);
    if (mode === 'wasm-blocked') await context.route('**/*.wasm', (route) => route.abort());
    await use(context);
  },

  folders: async ({}, use) => {
    const folders: string[] = [];
    await use(folders);
    for (const folder of folders) remove(folder);
  },

  start: async ({ guard, folders }, use) => {
    const started: Waiting[] = [];
    await use(async (input, options = {}) => {
      const waiting = await ask(input, { ...options, dir: options.dir ?? project() });
      started.push(waiting);
      guard.origins.add(new URL(waiting.url).origin);
      return waiting;
    });
    guard.end();
    for (const waiting of started) {
      await waiting.kill();
      folders.push(waiting.dir);
    }
  },

  open: async ({ mode }, use) => {
    await use(async (page, url) => {
      await page.goto(url);
      if (mode === 'hydrated') await hydrated(page);
      else await expect(page.locator('html')).not.toHaveAttribute('data-hydrated');
    });
  },
});

// `waitFor`, not `expect`: as long as an expectation is not met, the driver describes the whole page for its report, which
// takes half a minute for a thousand items.
export async function hydrated(page: Page) {
  await page.locator('html[data-hydrated=true]').waitFor();
}

/** What the pages of a set are called: its task, and the folder of its project. */
export const titleOf = (waiting: Waiting, input: Input) => `${input.task} · ${basename(waiting.dir)}`;

export const item = (page: Page, id: number) => page.locator(`#item-${id}`);
export const option = (page: Page, id: number, value: string) => item(page, id).locator(`label.option[data-value="${value}"]`);
export const radio = (page: Page, id: number, value: string) => option(page, id, value).locator('input[type=radio]');
export const note = (page: Page, id: number) => page.locator(`#note-${id}`);
export const submit = (page: Page) => page.locator('#submit-btn');
export const success = (page: Page) => page.locator('#success');

/**
 * Scrolls until the page stands still: a long one lays out what comes into sight, and moves while it does. The driver's own
 * waiting for that needs timers in the page, which do not run without script.
 */
async function bringIntoSight(target: Locator) {
  const seen: number[] = [];
  const stands = async () => {
    seen.push(await target.evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      // Not behind the bar at the bottom.
      if (top < 0 || bottom > innerHeight * 0.75) node.scrollIntoView({ block: 'center' });
      return node.getBoundingClientRect().top;
    }));
    return seen.length > 2 && new Set(seen.slice(-3)).size === 1;
  };
  await expect.poll(stands, { intervals: [30] }).toBe(true);
}

/** Chooses by a click on the option, as a person does. */
export async function choose(page: Page, id: number, value: string) {
  await bringIntoSight(option(page, id, value));
  await option(page, id, value).click();
  await expect(radio(page, id, value)).toBeChecked();
}

/**
 * A way out of the page, of which it shows one of two: a button that keeps what was given, or a link once a script does that.
 * Until the style sheet has arrived both are there.
 */
export async function wayOut(page: Page, to: 'language' | 'history') {
  await page.waitForLoadState();
  return page.locator(`.${to}:visible`);
}

/**
 * The server has taken a draft with `what` in it. The page uses the same address to check that the server is reachable, first
 * of all when it wakes up, so that its first response says nothing about a draft.
 */
export const kept = (page: Page, what: string) => page.waitForResponse((response) => {
  return response.url().endsWith('/fn/draft') && response.ok() && (response.request().postData() ?? '').includes(what);
});

/** Answers the documented example. */
export async function answerAuth(page: Page) {
  await choose(page, 1, 'jwt');
  await choose(page, 2, 'bcrypt');
}

/** One press on the button that takes every recommendation; without script the page comes back filled in. */
export async function takeAll(page: Page, mode: Mode, count: number) {
  await page.locator('#recommend-btn').click();
  await expect(page.locator('#decide input[type=radio]:checked')).toHaveCount(count);
  if (mode === 'hydrated') await expect(page.locator('#progress-text')).toHaveText(`已完成 ${count}/${count} 项`);
}

export async function expectSuccess(page: Page) {
  await success(page).waitFor();
  await expect(success(page)).toContainText('决策已提交');
  await expect(success(page)).toContainText('您可以关闭此页面');
}

export interface Decision {
  id: number;
  chosen: string | string[] | null;
  other?: string;
  note?: string;
}

/** What the agent has in the end: exit code, messages, the record on disk and the result. */
export async function expectDecided(waiting: Waiting, decisions: Decision[], input?: Input) {
  const end = await waiting.done;
  // A client that replaces questions learns which, and they leave a record of that.
  const replaced = /^⚠ 取代了尚未回答的待定项: (\S+)（.+）\n  建议: .+\n$/.exec(end.stderr)?.[1];
  if (!replaced) expect(end.stderr).toBe('');
  const [server, ...lines] = end.stdout.split('\n');
  // Another command may have started it.
  expect(['→ Web 服务已启动', '→ Web 服务正在运行']).toContain(server);
  expect(lines.join('\n')).toBe(`→ 请访问: ${waiting.url}\n→ 等待用户完成决策...\n✓ 决策已完成\n`);
  expect(end.code).toBe(0);
  const name = `${waiting.pending()._meta.session_id}.json`;
  const records = waiting.records();
  const record = records[name];
  expect(Object.keys(records).sort()).toEqual([...(replaced ? [`${replaced}.json`] : []), name].sort());
  if (replaced) expect(records[`${replaced}.json`].replaced_by).toBe(waiting.pending()._meta.session_id);
  expect(record.output).toEqual({ decisions });
  expect(record.completed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  if (input) expect(record.input).toEqual(input);
  const { task, _meta } = waiting.pending();
  const named = `→ 会话 ${_meta.session_id}: ${task}\n`;
  expect(waiting.result()).toEqual({ code: 0, stdout: `${JSON.stringify({ decisions })}\n`, stderr: named });
}

/** True for the request that hands in the answers, from either kind of page. */
export const isSubmission = (url: URL) => url.pathname === '/submit' || url.pathname === '/fn/submit';

/** How much wider the page is than what shows it. */
export const overflow = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
