// Pictures: those in the READMEs, and every state of the page in both languages, at four sizes, light and dark. Nothing is
// checked here; review them before calling work done. They are in test-results/pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { project, run } from '../lib/aide.mjs';
import { test as withDaemon } from '../lib/daemon.ts';
import { agent, put, workflow } from '../lib/sets.ts';
import { many, showcase, source, sourceFile, two, wordsOf } from '../lib/showcase.mjs';
import { STATES as WORKFLOWS, type Language } from '../lib/story.ts';
import { test as withPlan } from '../lib/plan.ts';
import { flow, task } from '../lib/task.ts';
import { choose, expect, isSubmission, note, submit, success, test, type Page, type Waiting } from '../lib/test.ts';
import type { BrowserContext } from '@playwright/test';

const LANGUAGES: Language[] = ['zh', 'en'];
// The last of them is a window of 1280 at 400 %.
const SIZES = { phone: { width: 360, height: 740 }, window: { width: 1280, height: 900 }, wide: { width: 2560, height: 1300 }, zoomed: { width: 320, height: 180 } };
const SCHEMES = ['light', 'dark'] as const;

interface Stage {
  page: Page;
  context: BrowserContext;
  lang: Language;
  /** Asks in a project that has the source file, and opens the page in the language. */
  ask: (input: object, args?: string[], dir?: string) => Promise<Waiting>;
  /** Asks other questions in the place of these. */
  replace: (waiting: Waiting, input: object) => Promise<Waiting>;
}

/** A state, and which part of it is looked at. */
interface State {
  name: string;
  reach: (stage: Stage) => Promise<unknown>;
  aim?: string;
  script?: boolean;
  /** Drawn as it is: a picture is otherwise that of the end of every animation, such as that of an offer that ends. */
  moves?: boolean;
  /** Drawn as a whole, on this paper. */
  paper?: { width: number; height: number };
}

function withSource(dir = project()) {
  mkdirSync(join(dir, 'src'), { recursive: true });
  writeFileSync(join(dir, sourceFile), source);
  return dir;
}

async function answer(page: Page, lang: Language) {
  await choose(page, 1, 'jwt');
  await note(page, 1).fill(wordsOf(lang).written);
  await choose(page, 2, 'bcrypt');
}

async function finish({ page, lang, ask }: Stage) {
  const waiting = await ask(two(lang));
  await answer(page, lang);
  await submit(page).click();
  await success(page).waitFor();
  await waiting.done;
  return waiting;
}

/** Questions of a command, an agent and a workflow, and the page that lists them. */
async function inbox({ page, lang, ask }: Stage, address = '') {
  const waiting = await ask(two(lang));
  const later = new Date(Date.now() + 3_600_000).toISOString();
  put(waiting, '2098-01-01T00-00-00', agent, many(lang, 3) as never, later);
  put(waiting, '2098-01-01T00-00-01', workflow, many(lang, 1) as never);
  await page.goto(`${waiting.url}/?lang=${lang}${address}`);
  const none = lang === 'zh' ? '没有符合条件的待定项' : 'No questions match';
  await (address ? page.getByText(none) : page.locator('.sets')).first().waitFor();
}

/** A project in which questions were answered and sent back. */
async function past(stage: Stage) {
  const { page, lang, ask } = stage;
  const { dir } = await finish(stage);
  const again = await ask(many(lang, 3), [], dir);
  await page.locator('#return summary').click();
  await page.locator('#return-message').fill(wordsOf(lang).reason);
  await page.locator('#return-btn').click();
  await page.locator('#notice').waitFor();
  await again.done;
  return ask(two(lang), [], dir);
}

const STATES: State[] = [
  { name: 'form', reach: ({ lang, ask }) => ask(showcase(lang)) },
  { name: 'form-answered', reach: async ({ page, lang, ask }) => (await ask(two(lang)), await answer(page, lang)), aim: 'h1' },
  { name: 'form-end', reach: ({ lang, ask }) => ask(two(lang)), aim: '#return' },
  { name: 'fifty', reach: async ({ page, lang, ask }) => {
    await ask(many(lang, 50));
    for (const id of [1, 2, 4]) await choose(page, id, 'redis');
  } },
  { name: 'table', reach: async ({ page, lang, ask }) => (await ask(showcase(lang)), await choose(page, 3, 'm1')), aim: '#item-3' },
  { name: 'several', reach: async ({ page, lang, ask }) => (await ask(showcase(lang)), await page.locator('#item-4 input').first().check()), aim: '#item-4' },
  { name: 'around', reach: async ({ page, lang, ask }) => (await ask(two(lang)), await page.locator('.around summary').first().click()), aim: 'h1' },
  { name: 'review', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await answer(page, lang);
    await page.locator('#review-btn').click();
    await page.locator('#review').waitFor();
  } },
  { name: 'review-incomplete', reach: async ({ page, lang, ask }) => {
    await ask(showcase(lang));
    await choose(page, 1, 'session');
    await page.locator('#review-btn').click();
    await page.locator('#review').waitFor();
  } },
  { name: 'return', reach: async ({ page, lang, ask }) => {
    await ask(showcase(lang));
    await page.locator('#return summary').click();
    await page.locator('#return-message').fill(wordsOf(lang).reason);
  } },
  { name: 'keys', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await page.locator('#keys summary').click();
  } },
  { name: 'changed', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    for (const key of '1x') await page.keyboard.press(key);
    await expect(page.locator('#changed')).toBeVisible();
  } },
  { name: 'undone', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    for (const key of '1xu') await page.keyboard.press(key);
    await expect(page.locator('#item-1 input:checked')).toHaveCount(1);
  } },
  { name: 'missing', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await choose(page, 1, 'jwt');
    await submit(page).dispatchEvent('click');
    await expect(page.locator('#error-toast')).not.toBeEmpty();
  } },
  { name: 'no-reason', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await page.keyboard.press('i');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('#return-error')).toBeVisible();
  } },
  { name: 'partial', reach: async ({ page, lang, ask }) => (await ask({ ...many(lang, 3), partial: true }), await choose(page, 1, 'redis')), aim: 'h1' },
  { name: 'farewell-partial', reach: async ({ page, lang, ask }) => {
    await ask({ ...many(lang, 3), partial: true });
    await choose(page, 1, 'redis');
    await submit(page).click();
    await success(page).waitFor();
  } },
  { name: 'held', reach: async ({ page, lang, ask }) => {
    const dir = withSource();
    run(dir, 'config', 'set', 'decide.undo', '60');
    await ask(two(lang), [], dir);
    await answer(page, lang);
    await submit(page).click();
    await page.locator('#take-back').waitFor();
  }, moves: true },
  { name: 'inbox', reach: (stage) => inbox(stage) },
  { name: 'inbox-nothing', reach: (stage) => inbox(stage, '&search=xyz') },
  { name: 'no-page', reach: async ({ page, lang, ask }) => page.goto(`${(await ask(two(lang))).url}/nowhere?lang=${lang}`) },
  { name: 'no-decision', reach: async ({ page, lang, ask }) => page.goto(`${(await ask(two(lang))).url}/d/nowhere?lang=${lang}`) },
  { name: 'current', reach: async ({ page, lang, ask }) => {
    await ask(showcase(lang));
    await page.locator('#item-1').evaluate((item) => item.setAttribute('data-current', ''));
  } },
  { name: 'error', reach: async ({ page, context, lang, ask }) => {
    await ask(two(lang));
    await answer(page, lang);
    await context.route(isSubmission, (route) => route.abort());
    await submit(page).click();
    await expect(page.locator('#error-toast')).not.toBeEmpty();
  } },
  { name: 'offline', reach: async ({ page, lang, ask }) => {
    const waiting = await ask(two(lang));
    await waiting.kill();
    await choose(page, 1, 'jwt');
    await expect(page.locator('#draft-state')).not.toBeEmpty();
  } },
  { name: 'stale', reach: async ({ page, lang, ask, replace }) => {
    const waiting = await ask(two(lang));
    await choose(page, 1, 'jwt');
    await replace(waiting, many(lang, 3));
    await expect(page.locator('#error-toast')).not.toBeEmpty();
  } },
  { name: 'time-limit', reach: async ({ page, lang, ask }) => {
    await ask(two(lang), ['--timeout', '300']);
    await page.locator('#time-limit summary').click();
    await expect(page.getByRole('timer')).toContainText(':');
  } },
  { name: 'farewell', reach: finish },
  { name: 'farewell-elsewhere', reach: async ({ page, context, lang, ask }) => {
    const waiting = await ask(two(lang));
    await answer(page, lang);
    const other = await context.newPage();
    await other.goto(`${waiting.url}/?lang=${lang}`);
    await other.locator('html[data-hydrated]').waitFor();
    await choose(other, 1, 'session');
    await choose(other, 2, 'bcrypt');
    await submit(other).click();
    await success(other).waitFor();
    await other.close();
    await success(page).waitFor();
  } },
  { name: 'farewell-returned', reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await page.locator('#return summary').click();
    await page.locator('#return-message').fill(wordsOf(lang).reason);
    await page.locator('#return-btn').click();
    await page.locator('#notice').waitFor();
  } },
  { name: 'farewell-cancelled', reach: async ({ page, lang, ask }) => {
    const listening = page.waitForRequest(/\/fn\/listen$/);
    const waiting = await ask(two(lang));
    await listening;
    run(waiting.dir, 'decide', 'cancel');
    await success(page).waitFor();
  } },
  { name: 'history', reach: async (stage) => stage.page.goto(`${(await past(stage)).url}/history?lang=${stage.lang}`) },
  { name: 'history-nothing', reach: async (stage) => stage.page.goto(`${(await past(stage)).url}/history?q=xyz&lang=${stage.lang}`) },
  { name: 'record', reach: async (stage) => {
    await stage.page.goto(`${(await past(stage)).url}/history?lang=${stage.lang}`);
    await stage.page.locator('.summary a[href^="/history/"]').last().click();
    await stage.page.locator('.past').waitFor();
  } },
  { name: 'record-returned', reach: async (stage) => {
    await stage.page.goto(`${(await past(stage)).url}/history?lang=${stage.lang}`);
    await stage.page.locator('.summary a[href^="/history/"]').first().click();
    await stage.page.locator('.past').waitFor();
  } },
  { name: 'flow', reach: async ({ page, lang, ask }) => {
    const dir = task();
    flow(dir, 'issue', lang === 'zh' ? '测试覆盖率较低' : 'Few tests');
    flow(dir, 'error', lang === 'zh' ? '编译失败' : 'Does not compile');
    const waiting = await ask(two(lang), [], dir);
    await page.goto(`${waiting.url}/flow?lang=${lang}`);
  } },
  { name: 'flow-nothing', reach: async ({ page, lang, ask }) => page.goto(`${(await ask(two(lang))).url}/flow?lang=${lang}`) },
  { name: 'plain', script: false, reach: async ({ page, lang, ask }) => (await ask(two(lang)), page) },
  { name: 'plain-error', script: false, reach: async ({ page, lang, ask }) => {
    await ask(two(lang));
    await choose(page, 2, 'bcrypt');
    await submit(page).click();
    await page.locator('#error').waitFor();
  } },
  { name: 'plain-farewell', script: false, reach: finish },
  { name: 'login', reach: async ({ page, lang, ask }) => page.goto(`${new URL((await ask(two(lang), ['--auth', 'always'])).url).origin}/?lang=${lang}`) },
  { name: 'door', reach: async ({ page, lang, ask }) => page.goto(`${(await ask(two(lang), ['--auth', 'always'])).url}?lang=${lang}`) },
  { name: 'ticket-over', reach: async ({ page, lang, ask }) => page.goto(`${new URL((await ask(two(lang), ['--auth', 'always'])).url).origin}/t/${'0'.repeat(64)}?lang=${lang}`) },
  { name: 'paper', paper: { width: 794, height: 1123 }, reach: async ({ page, lang, ask }) => (await ask(two(lang)), await choose(page, 1, 'jwt')) },
];

/** Another scheme is another colour, which some parts take on little by little: it has come. What scrolling drives goes on. */
async function wear(page: Page, colorScheme: (typeof SCHEMES)[number]) {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((animation) => animation instanceof CSSTransition).map(({ finished }) => finished)));
}

const target = (name: string) => fileURLToPath(new URL(`../test-results/pictures/${name}.png`, import.meta.url));
const shoot = (page: Page, path: string, fullPage = false, moves = false) =>
  page.screenshot({ path, fullPage, animations: moves ? 'allow' : 'disabled', caret: 'hide' });

for (const lang of LANGUAGES) {
  for (const state of STATES) {
    test(`${state.name}, ${lang}`, async ({ browser, start, guard }) => {
      // States in which something is wrong say so on the console as well.
      guard.allow(/Failed to load resource/, /./);
      const context = await browser.newContext({ javaScriptEnabled: state.script ?? true, locale: lang === 'zh' ? 'zh-CN' : 'en-GB', viewport: SIZES.window });
      guard.watch(context);
      const page = await context.newPage();
      let dir: string | undefined;
      const ask = async (input: object, args: string[] = [], where = (dir ??= withSource())) => {
        withSource(where);
        const waiting = await start(input as never, { dir: where, args });
        // Who is not let in, or has a page already, goes there by themselves.
        if (args.length === 0 || args.includes('--timeout')) {
          await page.goto(`${waiting.url}/?lang=${lang}`);
          if (state.script ?? true) await page.locator('html[data-hydrated]').waitFor();
        }
        return waiting;
      };
      const replace = ({ dir: where, url }: Waiting, input: object) => start(input as never, { dir: where, port: Number(new URL(url).port) });
      await state.reach({ page, context, lang, ask, replace });
      await page.mouse.move(0, 0);
      const { paper, aim } = state;
      if (paper) {
        await page.emulateMedia({ media: 'print' });
        await page.setViewportSize(paper);
        await page.screenshot({ path: target(`${state.name}-${lang}`), fullPage: true });
      } else {
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport);
          if (aim) await page.locator(aim).first().evaluate((part) => part.scrollIntoView({ block: 'center' }));
          for (const colorScheme of SCHEMES) {
            await wear(page, colorScheme);
            await shoot(page, target(`${state.name}-${lang}-${size}-${colorScheme}`), false, state.moves);
          }
        }
      }
      await context.close();
    });
  }
}

/** The whole page, in every size and scheme. */
async function shootAll(page: Page, name: string) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of SCHEMES) {
      await wear(page, colorScheme);
      // What fades at the edge of a drawing is an animation, which ends where everything is in sight.
      await shoot(page, target(`${name}-${size}-${colorScheme}`), true, true);
    }
  }
}

for (const lang of LANGUAGES) {
  for (const [name, reach] of Object.entries(WORKFLOWS)) {
    withDaemon(`workflow ${name}, ${lang}`, async ({ page, daemon }) => {
      await page.goto(`${daemon.url}/workflows/${await reach(daemon, lang)}?lang=${lang}`);
      await shootAll(page, `workflow-${name}-${lang}`);
    });
  }
}

for (const lang of LANGUAGES) {
  withDaemon(`workflows, ${lang}`, async ({ page, daemon }) => {
    await WORKFLOWS['asking-which']?.(daemon, lang);
    await WORKFLOWS['done']?.(daemon, lang);
    for (const [name, path] of [['list', '/workflows'], ['nothing', '/workflows?search=xyz']] as const) {
      await page.goto(`${daemon.url}${path}${path.includes('?') ? '&' : '?'}lang=${lang}`);
      await shootAll(page, `workflows-${name}-${lang}`);
    }
  });

  withDaemon(`consent, ${lang}`, async ({ page, withAgents: daemon }) => {
    const task = lang === 'zh' ? '搜索 deepseek 最新发布' : 'Search for the latest deepseek release';
    daemon.watch(daemon.project(), task);
    await page.goto(`${daemon.url}/workflows?lang=${lang}`);
    await page.getByRole('link', { name: task }).click();
    await expect(page.locator('#asked').getByRole('button')).toHaveCount(3);
    await shootAll(page, `consent-${lang}`);
    await page.goto(`${daemon.url}/?lang=${lang}`);
    await shootAll(page, `consent-alone-${lang}`);
  });

  withPlan(`plans, ${lang}`, async ({ page, plan, guard }) => {
    const { url } = await plan.serve();
    guard.origins.add(url);
    await page.goto(`${url}/plans/plan_handbook?lang=${lang}`);
    await shootAll(page, `plan-before-${lang}`);
    plan.run();
    await page.goto(`${url}/plans?lang=${lang}`);
    await expect(page.locator('#plans')).toContainText(lang === 'zh' ? '1 项等待您决策' : '1 question waits', { timeout: 30_000 });
    await shootAll(page, `plans-${lang}`);
    await page.goto(`${url}/plans/plan_handbook?lang=${lang}`);
    await shootAll(page, `plan-${lang}`);
  });
}

test('a phone', async ({ browser, start, guard }) => {
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: SIZES.phone, deviceScaleFactor: 2 });
  guard.watch(context);
  const page = await context.newPage();
  for (const lang of LANGUAGES) {
    const waiting = await start(showcase(lang) as never, { dir: withSource() });
    await page.goto(`${waiting.url}/?lang=${lang}`);
    await page.locator('html[data-hydrated]').waitFor();
    await page.locator('#item-1').evaluate((item) => item.setAttribute('data-current', ''));
    await shoot(page, target(`phone-${lang}`));
  }
  await context.close();
});

// A window, as a user sees it right after choosing.
const README = { zh: 'page.zh.png', en: 'page.png' };
const README_WORKFLOW = { zh: 'workflow.zh.png', en: 'workflow.png' };

for (const lang of LANGUAGES) {
  withDaemon(`the picture of a workflow for the README, ${lang}`, async ({ page, daemon }) => {
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.goto(`${daemon.url}/workflows/${await WORKFLOWS['asking-which']?.(daemon, lang)}?lang=${lang}`);
    await shoot(page, fileURLToPath(new URL(`../../docs/images/${README_WORKFLOW[lang]}`, import.meta.url)));
  });
}

for (const lang of LANGUAGES) {
  test(`the picture of the README, ${lang}`, async ({ browser, start, guard }) => {
    const context = await browser.newContext({ locale: lang === 'zh' ? 'zh-CN' : 'en-GB', viewport: { width: 1200, height: 900 } });
    guard.watch(context);
    const page = await context.newPage();
    const waiting = await start(two(lang) as never, { dir: withSource() });
    await page.goto(`${waiting.url}/?lang=${lang}`);
    await page.locator('html[data-hydrated]').waitFor();
    await choose(page, 1, 'jwt');
    await note(page, 1).fill(wordsOf(lang).written);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      scrollTo(0, 0);
    });
    await page.mouse.move(0, 0);
    await shoot(page, fileURLToPath(new URL(`../../docs/images/${README[lang]}`, import.meta.url)));
    await context.close();
  });
}
