// What a designer would not ship, as rules: on every page, in both languages, in a small window and in a large one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../lib/aide.mjs';
import { test as withDaemon } from '../../lib/daemon.ts';
import { agent, put } from '../../lib/sets.ts';
import { many, showcase, source, sourceFile, two } from '../../lib/showcase.mjs';
import { STATES } from '../../lib/story.ts';
import { flow, task } from '../../lib/task.ts';
import { choose, expect, note, overflow, submit, test, type Page } from '../../lib/test.ts';

const LANGUAGES = ['zh', 'en'] as const;

/** The buttons and links that are not wholly inside the window's width. */
const outside = (page: Page) => page.locator(':is(button, summary, a):visible').evaluateAll((ways) => ways.filter((way) => {
  const { left, right, width } = way.getBoundingClientRect();
  // Heard, and not seen.
  return width > 1 && (left < 0 || right > document.documentElement.clientWidth + 0.5) && !way.closest('.graph, .item-context');
}).map((way) => way.outerHTML));

/** How a page stands on which nothing is found: what it is, the form, and below them, in the middle, that there is nothing, with the way to all. */
const nothing = (page: Page) => page.locator('main').evaluate((main) => {
  const [title, form, none] = ['h1', 'form', '.nothing'].map((part) => main.querySelector(part)!.getBoundingClientRect());
  const isAbove = title!.bottom <= form!.top && form!.bottom <= none!.top;
  const ways = [...main.querySelectorAll('a')].filter((way) => way.getBoundingClientRect().width > 0);
  return {
    isAbove,
    beside: Math.round(title!.left - form!.left),
    align: getComputedStyle(main.querySelector('h1')!).textAlign,
    below: getComputedStyle(main.querySelector('.nothing h2')!).textAlign,
    ways: ways.map((way) => way.textContent?.trim()),
  };
});

/** Where the name of the program and the last of the ways on stand. */
const head = (page: Page) => page.locator('.masthead').evaluate((head) => {
  const { left, right } = head.getBoundingClientRect();
  return [Math.round(left), Math.round(right)];
});

for (const lang of LANGUAGES) {
  test(`the head is in the same place on all pages, and nothing is wider than the window, ${lang}`, async ({ page, start, open, guard }) => {
    guard.allow(/status of 404/, /nowhere/);
    const dir = task();
    flow(dir, 'issue', 'Few tests');
    flow(dir, 'error', 'Does not compile');
    const waiting = await start(showcase(lang) as never, { dir });
    const heads: Record<string, number[]> = {};
    const look = async (name: string) => {
      for (const width of [320, 360, 768, 1024, 2560, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflow(page), `${name} at ${width}`).toBeLessThanOrEqual(0);
        expect(await outside(page), `${name} at ${width}`).toEqual([]);
      }
      heads[name] = await head(page);
    };
    await open(page, `${waiting.url}/?lang=${lang}`);
    await look('form');
    for (const path of ['history', 'flow', 'nowhere', 'd/nowhere']) {
      await page.goto(`${waiting.url}/${path}?lang=${lang}`).catch(() => undefined);
      await look(path);
    }
    await open(page, `${waiting.url}/?lang=${lang}`);
    await page.locator('#review-btn').click();
    await page.locator('#review').waitFor();
    await look('review');
    const [first, ...others] = Object.values(heads);
    expect(others, JSON.stringify(heads)).toEqual(others.map(() => first));
  });

  test(`a page that is not there has the ways to what there is, and the other language, ${lang}`, async ({ page, start, guard }) => {
    guard.allow(/status of 404/, /nowhere/);
    const waiting = await start(two(lang) as never);
    await page.goto(`${waiting.url}/nowhere?lang=${lang}`);
    await expect(page).toHaveTitle(`${lang === 'zh' ? '没有这个页面' : 'No such page'} · Aide`);
    await page.locator('.masthead .language').click();
    await expect(page.locator('html')).toHaveAttribute('lang', lang === 'zh' ? 'en' : 'zh-CN');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(lang === 'zh' ? 'No such page' : '没有这个页面');
  });

  test(`before the login the language can be chosen, ${lang}`, async ({ page, start, guard }) => {
    guard.allow(/status of 401/, /./);
    const waiting = await start(two(lang) as never, { args: ['--auth', 'always'] });
    const [logIn, other] = lang === 'zh' ? ['需要登录', 'Please log in'] : ['Please log in', '需要登录'];
    const heading = page.getByRole('heading', { level: 1 });
    await page.goto(`${new URL(waiting.url).origin}/?lang=${lang}`);
    await expect(heading).toHaveText(logIn!);
    await expect(page.locator('.masthead a')).toHaveCount(1);
    await page.locator('.masthead .language').click();
    await expect(heading).toHaveText(other!);
    // The link that lets in is not used up by it.
    await page.goto(`${waiting.url}?lang=${lang}`);
    await page.locator('.masthead .language').click();
    await expect(heading).toHaveText(lang === 'zh' ? 'Open the questions' : '打开待定项');
    await page.locator('#notice button').click();
    await expect(page.locator('#decide')).toBeVisible();
  });

  test(`in a small window the bar covers no line of the page by half, and what opens above it covers none of its parts, ${lang}`, async ({ page, start, open, mode }) => {
    const waiting = await start(two(lang) as never, { args: ['--timeout', '3000'] });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, `${waiting.url}/?lang=${lang}`);
    const box = async (part: string) => {
      const box = await page.locator(part).boundingBox();
      return { top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) };
    };
    // A strip of the bar, over the whole width.
    const strip = await page.locator('.bar').evaluate((bar) => {
      const { inlineSize, blockSize, backgroundColor } = getComputedStyle(bar, '::before');
      return { width: inlineSize, top: bar.getBoundingClientRect().top - parseFloat(blockSize), backgroundColor };
    });
    expect(strip.width).toBe('360px');
    expect(strip.backgroundColor).not.toBe('rgba(0, 0, 0, 0)');
    for (const part of ['#progress-text', '#time-limit summary']) expect((await box(part)).top, part).toBeGreaterThanOrEqual(strip.top);
    for (const panel of mode === 'hydrated' ? ['#time-limit', '#keys'] : ['#time-limit']) {
      await page.locator(`${panel} summary`).click();
      const { top, bottom } = await box(`${panel} .panel`);
      expect(bottom, panel).toBeLessThanOrEqual(strip.top);
      expect(top, panel).toBeGreaterThanOrEqual(0);
      await page.locator(`${panel} summary`).click();
    }
  });

  test(`in a table each list is a cell, and the score is said by its head, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(showcase(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    const gaps = await page.locator('#item-3 .cell').evaluateAll((cells) => cells.flatMap((cell) => {
      const lines = [...cell.children].map((line) => line.getBoundingClientRect());
      return lines.slice(1).map((line, at) => Math.round(line.top - lines[at]!.bottom));
    }));
    expect(gaps.length).toBeGreaterThan(0);
    expect(new Set(gaps)).toEqual(new Set([0]));
    await expect(page.locator('#item-3 .score-word').first()).toHaveCSS('width', '1px');
  });
}

test('on paper there is nothing that only a screen has a use for', async ({ page, start, open }) => {
  const dir = project();
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, sourceFile), source);
  const waiting = await start(two('en') as never, { dir });
  await open(page, `${waiting.url}/?lang=en`);
  await choose(page, 1, 'jwt');
  await note(page, 1).fill('as agreed');
  await page.emulateMedia({ media: 'print' });
  await expect(note(page, 1)).toBeVisible();
  await expect(note(page, 2)).toBeHidden();
  await expect(page.locator('label[for=note-2]')).toBeHidden();
  await expect(page.locator('.around').first()).toBeHidden();
  const digits = await page.locator('.option').evaluateAll((options) => options.map((option) => getComputedStyle(option, '::before').display));
  expect(new Set(digits)).toEqual(new Set(['none']));
  const borders = await page.locator('.item').evaluateAll((items) => items.map((item) => getComputedStyle(item).borderTopColor));
  expect(new Set(borders).size).toBe(1);
});

test('an answer in words looks like any other in the review', async ({ page, start, open }) => {
  const options = [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }];
  const waiting = await start({ task: 't', source: 's', items: [
    { id: 1, title: 'which', options },
    { id: 2, title: 'what', kind: 'text' },
  ] } as never);
  await open(page, `${waiting.url}/?lang=en`);
  await choose(page, 1, 'a');
  await page.locator('#item-2 .written textarea').fill('first line\nsecond line');
  await page.locator('#review-btn').click();
  await expect(page.locator('#review dd.chosen')).toHaveText(['A', 'first line\nsecond line'], { useInnerText: true });
  await expect(submit(page)).toBeVisible();
});

test('the line of phases begins each row with a phase', async ({ page, start }) => {
  const waiting = await start(two('en') as never, { dir: task() });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${waiting.url}/flow?lang=en`);
  const rows = await page.locator('.phases').evaluate((phases) => {
    const edge = phases.getBoundingClientRect().left;
    const starts = new Map<number, number>();
    for (const phase of phases.querySelectorAll('li')) {
      const { top, left } = phase.getBoundingClientRect();
      // What stands before the word.
      const text = left + parseFloat(getComputedStyle(phase, '::before').inlineSize);
      starts.set(Math.round(top), Math.min(starts.get(Math.round(top)) ?? Infinity, Math.round(text - edge)));
    }
    return [...starts.values()];
  });
  expect(rows.length).toBeGreaterThan(1);
  expect(new Set(rows)).toEqual(new Set([0]));
});

for (const lang of LANGUAGES) {
  const all = lang === 'zh' ? '显示全部' : 'Show all';
  const expected = { isAbove: true, beside: 0, align: 'start', below: 'center', ways: [all] };

  test(`where nothing is found, inbox and history keep their title and say so below it, ${lang}`, async ({ page, start }) => {
    const waiting = await start(two(lang) as never);
    put(waiting, '2098-01-01T00-00-00', agent, many(lang, 3) as never);
    for (const [path, title] of [['?search=xyz', lang === 'zh' ? '收件箱' : 'Inbox'], ['history?q=xyz', lang === 'zh' ? '历史' : 'History']]) {
      await page.goto(`${waiting.url}/${path}&lang=${lang}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(title!);
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await nothing(page), `${path} at ${width}`).toEqual(expected);
        expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
      }
    }
  });

  withDaemon(`where no workflow is found, the page keeps its title and says so below it, ${lang}`, async ({ page, daemon }) => {
    await daemon.begin('Write a report');
    await page.goto(`${daemon.url}/workflows?search=xyz&lang=${lang}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(lang === 'zh' ? '工作流' : 'Workflows');
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await nothing(page), `at ${width}`).toEqual(expected);
      expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.getByRole('link', { name: all }).click();
    await expect(page.locator('#list li')).toHaveCount(1);
  });
}

for (const lang of LANGUAGES) {
  withDaemon(`of tasks that begin alike the drawing shows what tells them apart, inside their boxes, ${lang}`, async ({ page, daemon }) => {
    await page.goto(`${daemon.url}/workflows/${await STATES['fifty']?.(daemon, lang)}?lang=${lang}`);
    const boxes = await page.locator('#graph g[data-state]').evaluateAll((boxes) => boxes.map((box) => {
      const [, ...texts] = [...box.querySelectorAll('text')].reverse();
      const edge = box.querySelector('rect')!.getBoundingClientRect();
      const isInside = [...box.querySelectorAll('text')].every((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return left >= edge.left && right <= edge.right && top >= edge.top && bottom <= edge.bottom;
      });
      return { title: texts.reverse().map((text) => text.textContent).join(' '), isInside };
    }));
    expect(boxes).toHaveLength(50);
    expect(new Set(boxes.map(({ title }) => title)).size).toBe(50);
    expect(boxes.filter(({ isInside }) => !isInside)).toEqual([]);
  });

  withDaemon(`a question of yes and no is answered with words, and JSON is beside its event, ${lang}`, async ({ page, daemon }) => {
    await page.goto(`${daemon.url}/workflows/${await STATES['asking']?.(daemon, lang)}?lang=${lang}`);
    await expect(page.locator('#asked .buttons button')).toHaveText(lang === 'zh' ? ['是', '否'] : ['Yes', 'No']);
    const event = page.locator('#events .log > li').first();
    const [row, json] = await Promise.all([event.locator('.detail > span').boundingBox(), event.locator('summary').boundingBox()]);
    expect(json?.y).toBeLessThan((row?.y ?? 0) + (row?.height ?? 0));
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0);
      expect(await outside(page), `at ${width}`).toEqual([]);
    }
  });

  withDaemon(`a drawing that is scrolled fades away where there is more of it, ${lang}`, async ({ page, daemon }) => {
    await page.goto(`${daemon.url}/workflows/${await STATES['running']?.(daemon, lang)}?lang=${lang}`);
    const graph = page.locator('#graph');
    const fade = () => graph.evaluate((graph) => parseFloat(getComputedStyle(graph).getPropertyValue('--fade')));
    expect(await fade()).toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(fade).toBe(64);
    // The next column is partly in sight.
    const [edge, column] = await Promise.all([graph.boundingBox(), graph.locator('rect').nth(1).boundingBox()]);
    expect((column?.x ?? 0) + 16).toBeLessThan((edge?.x ?? 0) + (edge?.width ?? 0));
    await graph.evaluate((graph) => graph.scrollTo(graph.scrollWidth, 0));
    await expect.poll(fade).toBe(0);
  });

  withDaemon(`what is counted as done is called so, and a workflow that asks waits for the user, ${lang}`, async ({ page, daemon }) => {
    const workflow = await STATES['asking-which']?.(daemon, lang);
    await page.goto(`${daemon.url}/workflows/${workflow}?lang=${lang}`);
    const done = lang === 'zh' ? /^完成/ : /^done/;
    const marks = await page.locator('.tasks .mark').allTextContents();
    const [count] = /\d+/.exec(await page.locator('#tasks .lead').innerText()) ?? [];
    expect(Number(count)).toBeGreaterThan(0);
    expect(marks.filter((mark) => done.test(mark.trim()))).toHaveLength(Number(count));
    await expect(page.locator('#graph g[data-state=execution_succeeded] .state').first()).toHaveText(done);
    await page.goto(`${daemon.url}/workflows?lang=${lang}`);
    await expect(page.locator('#list .mark')).toHaveText([lang === 'zh' ? '等待您' : 'waiting for you']);
  });

  withDaemon(`of a workflow that has ended no task waits, ${lang}`, async ({ page, daemon }) => {
    for (const end of ['failed', 'cancelled']) {
      await page.goto(`${daemon.url}/workflows/${await STATES[end]?.(daemon, lang)}?lang=${lang}`);
      const words = (await page.locator('.tasks .mark').allTextContents()).join(' ');
      expect(words, end).toContain(lang === 'zh' ? '未执行' : 'not done');
      expect(words, end).not.toMatch(/waiting|ready|running|reviewed|等待|就绪|执行中|评审/);
    }
  });
}
