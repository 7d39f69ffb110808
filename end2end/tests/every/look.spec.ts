// What a designer asks of the page, as numbers; in both languages, because English needs more room and Chinese other fonts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, run } from '../../lib/aide.mjs';
import { many, showcase, source, sourceFile, two, wordsOf } from '../../lib/showcase.mjs';
import { choose, expect, note, overflow, radio, submit, success, test, wayOut, type Page } from '../../lib/test.ts';

const LANGUAGES = ['zh', 'en'] as const;

/** A project with the file that the first question is about. */
function withSource() {
  const dir = project();
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, sourceFile), source);
  return dir;
}

/** How high the bar is, and in how many rows its parts stand. */
const bar = (page: Page) => page.locator('.bar').evaluate((bar) => {
  const all = bar.querySelectorAll<HTMLElement>('.bar-row :is(#progress-text, #changed, summary, button)');
  const parts = [...all].filter((part) => !part.closest('.panel') && part.getBoundingClientRect().width > 1);
  // What stands on the edge of the bar is no part of its row.
  const shown = parts.filter((part) => getComputedStyle(part).position !== 'absolute' && !part.closest('#change'));
  const middles = shown.map((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return Math.round((top + bottom) / 2);
  });
  const isWithin = parts.every((part) => {
    const { left, right } = part.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  });
  const wordless = parts.filter((part) => part.matches('button') && !/\p{L}{2}/u.test(part.innerText)).map((part) => part.outerHTML);
  return { height: bar.getBoundingClientRect().height, rows: new Set(middles).size, isWithin, wordless };
});

for (const lang of LANGUAGES) {
  test(`the bar is one row in which every button has a word, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(many(lang, 50) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    // 320 is a window of 1280 at 400 %, which is 180 high at most.
    for (const [width, height] of [[320, 180], [360, 740], ...[479, 480, 640, 768, 769, 1023, 1024, 1280, 2560].map((width) => [width, 900])]) {
      await page.setViewportSize({ width: width!, height: height! });
      // Where there is little height, the bar takes little of it.
      expect(await bar(page), `bar at ${width}`).toEqual({ height: expect.closeTo(height! < 320 ? 43 : 59, -1), rows: 1, isWithin: true, wordless: [] });
      expect(await overflow(page), `overflow at ${width}`).toBe(0);
      // Also at the very top, where the form may begin below the window.
      for (const button of ['#submit-btn', '#review-btn', '#recommend-btn']) await expect(page.locator(button), `at ${width}`).toBeInViewport({ ratio: 1 });
    }
    // What has a shorter word has kept its name.
    for (const name of lang === 'zh' ? ['采纳全部推荐', '检查'] : ['Accept all recommendations', 'Review']) {
      await expect(page.locator('.bar').getByRole('button', { name, exact: true })).toBeVisible();
    }
  });

  test(`in a window that is enlarged the count stands in the row of the bar, ${lang}`, async ({ page, start, open, mode }) => {
    const waiting = await start(showcase(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await page.setViewportSize({ width: 320, height: 180 });
    const [row, count, submitting] = await Promise.all(['.bar-row', '#progress-text', '#submit-btn'].map((part) => page.locator(part).boundingBox()));
    expect(count!.y).toBeGreaterThanOrEqual(row!.y);
    expect(count!.x + count!.width).toBeLessThan(submitting!.x);
    // Two numbers, for which the style sheet counts what is marked.
    expect(count!.width).toBeGreaterThan(10);
    const marked = () => page.evaluate(() => ['[data-done]', ''].map((such) => document.querySelectorAll(`fieldset.item${such}:not([data-optional])`).length));
    expect(await marked()).toEqual([0, 4]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('#recommend-btn').click();
    await expect(page.locator('#progress-text')).toContainText(lang === 'zh' ? '3/4' : '3 of 4');
    expect(await marked()).toEqual([3, 4]);
    if (mode !== 'no-js') return;
    // Without script the server marks them, in the list as well.
    await expect(page.locator('.rail [data-done]')).toHaveCount(3);
  });

  test(`a question that may be left open says so in the list, and only the others are asked for first, ${lang}`, async ({ page, start, open }) => {
    const [hint, required, all] = lang === 'zh' ? ['可不回答', '请先完成必答的待定项', '请先完成所有待定项的选择'] : ['optional', 'Answer the required questions first', 'Answer every question first'];
    for (const [input, expected] of [[showcase(lang), required], [two(lang), all]] as const) {
      const waiting = await start(input as never);
      await open(page, `${waiting.url}/?lang=${lang}`);
      const names = input.items.map(({ id, title, required }) => `${id}. ${title}${required === false ? ` ${hint}` : ''}`);
      await expect(page.locator('.rail a')).toHaveText(names);
      await expect(page.locator('#submit-hint')).toHaveText(expected!);
      for (const width of [320, 360, 800, 1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await bar(page), `bar at ${width}`).toMatchObject({ rows: 1, isWithin: true });
      }
      await page.locator('#review-btn').click();
      await expect(page.locator('#review .lead')).toHaveText(expected!);
    }
  });

  test(`a time limit takes no row of its own, ${lang}`, async ({ page, start, open, mode }) => {
    const waiting = await start(two(lang) as never, { args: ['--timeout', '3000'] });
    await open(page, `${waiting.url}/?lang=${lang}`);
    // The clock is wider once it shows something.
    if (mode === 'hydrated') await expect(page.getByRole('timer')).toHaveText(/^49:/);
    for (const width of [320, 360, 480, 768, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await bar(page), `at ${width}`).toEqual({ height: expect.closeTo(59, -1), rows: 1, isWithin: true, wordless: [] });
    }
    await page.locator('#time-limit summary').click();
    await expect(page.locator('#time-limit .panel')).toBeInViewport({ ratio: 1 });
  });

  test(`the first screen belongs to the first question, ${lang}`, async ({ page, start, open }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const waiting = await start(showcase(lang) as never, { dir: withSource() });
    await open(page, `${waiting.url}/?lang=${lang}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(wordsOf(lang).task);
    await expect(page.locator('#item-1 .line-number')).toHaveCount(6);
    const [item, options, bar] = await Promise.all(['#item-1', '#item-1 .options-list', '.bar'].map((part) => page.locator(part).boundingBox()));
    expect(item?.y).toBeLessThanOrEqual(140);
    expect((options?.y ?? 0) + (options?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  });

  test(`what is opened comes into view, ${lang}`, async ({ page, start, open, mode }) => {
    const waiting = await start(many(lang, 50) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    for (const [width, height] of [[1280, 900], [360, 740]] as const) {
      await page.setViewportSize({ width, height });
      const details = page.locator('#return');
      await details.evaluate((part) => part.removeAttribute('open'));
      // As far up as it is still to be seen.
      await details.evaluate((part) => part.scrollIntoView({ block: 'end' }));
      await details.locator('summary').click();
      const bar = (await page.locator('.bar').boundingBox())?.y ?? 0;
      for (const part of ['#return-hint', '#return-message', '#return-btn']) {
        await expect(page.locator(part), `${part} at ${width}`).toBeInViewport({ ratio: 1 });
        const box = await page.locator(part).boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0), `${part} at ${width}`).toBeLessThanOrEqual(bar);
      }
      // A click beside the fields is no reason to go away.
      await page.locator('#return-hint').click();
      await expect(page.locator('#return-btn')).toBeInViewport({ ratio: 1 });
      await page.locator('#return-message').blur();
      if (mode !== 'hydrated') continue;
      await page.locator('#keys summary').click();
      await expect(page.locator('#keys .panel')).toBeInViewport({ ratio: 1 });
      await page.locator('#keys summary').click();
    }
  });

  test(`long titles end in an ellipsis, ${lang}`, async ({ page, start, open }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const input = two(lang);
    const long = input.items.map((item) => ({ ...item, title: `${item.title} `.repeat(4).trim() }));
    const waiting = await start({ ...input, items: long } as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    const links = await page.locator('.rail a').evaluateAll((links) => links.map((link) => ({
      inside: link.getBoundingClientRect().right <= (link.closest('nav')?.getBoundingClientRect().right ?? 0),
      cut: link.scrollWidth > link.clientWidth && getComputedStyle(link).textOverflow === 'ellipsis',
    })));
    expect(links).toEqual(long.map(() => ({ inside: true, cut: true })));
  });

  test(`source lines are in a font of one width, with what is above and below beside their numbers, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never, { dir: withSource() });
    await open(page, `${waiting.url}/?lang=${lang}`);
    const widths = await page.locator('#item-1 .line code').first().evaluate((line) => ['i', 'm', 'W', '.'].map((letter) => {
      const span = document.createElement('span');
      span.textContent = letter.repeat(20);
      line.append(span);
      const { width } = span.getBoundingClientRect();
      span.remove();
      return Math.round(width);
    }));
    expect(new Set(widths).size, widths.join()).toBe(1);
    const excerpt = await page.locator('.excerpt').boundingBox();
    for (const around of await page.locator('.excerpt > .around summary').all()) {
      const box = await around.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(excerpt?.x ?? Infinity);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((excerpt?.x ?? 0) + (excerpt?.width ?? 0));
      expect(box?.height).toBeLessThanOrEqual(32);
    }
    await expect(page.locator('.excerpt > .around')).toHaveCount(2);
  });

  test(`the review has a head, ways back, and rows that lead to their questions, ${lang}`, async ({ page, start, open, mode }) => {
    const waiting = await start(many(lang, 12) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await choose(page, 1, 'redis');
    await note(page, 1).fill(wordsOf(lang).written);
    const review = page.locator('#review-btn');
    await review.click();
    await expect(page.locator('#review h1')).toBeFocused();
    const missing = lang === 'zh' ? '未选择' : 'Not answered';
    await expect(page.locator('.not-chosen')).toHaveCount(11);
    await expect(page.locator('.not-chosen').first()).toContainText(missing);
    expect(await page.locator('.not-chosen').first().evaluate((state) => getComputedStyle(state).fontWeight)).toBe('400');
    await expect(await wayOut(page, 'language')).toBeInViewport();
    await expect(await wayOut(page, 'history')).toBeInViewport();
    await expect(page.locator('.back button')).toBeInViewport({ ratio: 1 });

    // The other language is the same page once more.
    await (await wayOut(page, 'language')).click();
    await expect(page.locator('html')).toHaveAttribute('lang', lang === 'zh' ? 'en' : 'zh-CN');
    await expect(page.locator('.not-chosen')).toHaveCount(11);
    await (await wayOut(page, 'language')).click();

    // A row leads to its question wherever it is pressed.
    const row = page.locator('.summary > div').nth(9);
    await row.scrollIntoViewIfNeeded();
    await row.click({ position: { x: 200, y: ((await row.boundingBox())?.height ?? 0) - 6 } });
    if (mode === 'hydrated') await page.locator('html[data-hydrated=true]').waitFor();
    await expect(page.locator('#item-10 legend')).toBeInViewport({ ratio: 1 });
    await expect(radio(page, 1, 'redis')).toBeChecked();
    await expect(note(page, 1)).toHaveValue(wordsOf(lang).written);
    await review.click();
    await page.locator('.back button').click();
    await expect(radio(page, 1, 'redis')).toBeChecked();
  });

  test(`the buttons of the review do not touch, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await choose(page, 1, 'jwt');
    await choose(page, 2, 'bcrypt');
    await page.locator('#review-btn').click();
    // The page before has a button to submit as well.
    await page.locator('#review-back').waitFor();
    await page.waitForLoadState();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      const [back, send] = await Promise.all([page.locator('#review-back').boundingBox(), submit(page).boundingBox()]);
      expect((send?.x ?? 0) - ((back?.x ?? 0) + (back?.width ?? 0)), `at ${width}`).toBeGreaterThanOrEqual(8);
      expect(await overflow(page)).toBe(0);
    }
  });

  test(`after submitting the page says how to see it again, and that works, ${lang}`, async ({ page, start, open }) => {
    const waiting = await start(two(lang) as never);
    await open(page, `${waiting.url}/?lang=${lang}`);
    await expect(page.locator('.see-again')).toBeHidden();
    await choose(page, 1, 'jwt');
    await choose(page, 2, 'bcrypt');
    await submit(page).click();
    await success(page).waitFor();
    await expect(page.locator('.see-again')).toBeVisible();
    const commands = await page.locator('.see-again code').allTextContents();
    expect(commands).toHaveLength(2);
    // The server is gone: nothing may lead there.
    await expect(page.locator('a[href]:visible')).toHaveCount(0);
    await waiting.done;
    for (const command of commands) {
      const [program, ...args] = command.split(' ');
      expect(program).toBe('aide');
      const { code, stdout } = run(waiting.dir, ...args);
      expect([code, stdout.includes(wordsOf(lang).task)], command).toEqual([0, true]);
    }
  });

  test(`on a touch device nothing is about keys, ${lang}`, async ({ browser, start, guard, mode }) => {
    const waiting = await start(showcase(lang) as never);
    const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 }, javaScriptEnabled: mode !== 'no-js' });
    guard.watch(context);
    if (mode === 'wasm-blocked') await context.route('**/*.wasm', (route) => route.abort());
    const page = await context.newPage();
    await page.goto(`${waiting.url}/?lang=${lang}`);
    if (mode === 'hydrated') await page.locator('html[data-hydrated=true]').waitFor();
    await expect(page.locator('#keys')).toBeHidden();
    const digit = () => page.locator('#item-1 .option').first().evaluate((option) => {
      option.closest('.item')?.setAttribute('data-current', '');
      return getComputedStyle(option, '::before').content;
    });
    expect(await digit()).toBe('none');
    expect(await overflow(page)).toBe(0);
    await expect(submit(page)).toBeInViewport({ ratio: 1 });
    // Without the keys there is room for one row.
    expect(await bar(page)).toEqual({ rows: 1, height: expect.closeTo(59, 0), isWithin: true, wordless: [] });
    await context.close();
  });
}

test('with a mouse and keys, the options of the current question show their digits, and only those', async ({ page, start, open }) => {
  const waiting = await start(showcase('en') as never);
  await open(page, `${waiting.url}/?lang=en`);
  const digits = (id: number) => page.locator(`#item-${id} .option`).evaluateAll((options) => options.map((option) => {
    const { content, counterIncrement } = getComputedStyle(option, '::before');
    return content.startsWith('counter(option)') && counterIncrement === 'none';
  }));
  await page.evaluate(() => document.querySelectorAll('[data-current]').forEach((item) => item.removeAttribute('data-current')));
  await page.locator('#item-5').evaluate((item) => item.setAttribute('data-current', ''));
  // The answer of one's own and the one that leaves it open are counted as the keys count them.
  expect(await digits(5)).toEqual([true, true, true, true]);
  expect(await digits(2)).toEqual([false, false]);
});

test('the English page has one word for each thing', async ({ page, start, open }) => {
  const waiting = await start(showcase('en') as never, { args: ['--timeout', '3000'] });
  await open(page, `${waiting.url}/?lang=en`);
  const wrong = () => page.evaluate(() => {
    const texts: string[] = [];
    for (const part of document.querySelectorAll('body, body *')) {
      texts.push(...['placeholder', 'title', 'aria-label'].map((name) => part.getAttribute(name) ?? ''));
      if (part.tagName !== 'SCRIPT') texts.push(...[...part.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent ?? ''));
    }
    return texts.filter((text) => /\bitems?\b|withdrawn|whoever|nobody|meant/i.test(text));
  });
  expect(await wrong()).toEqual([]);
  await page.locator('#review-btn').click();
  await page.locator('#review').waitFor();
  expect(await wrong()).toEqual([]);
});
