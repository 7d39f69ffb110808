// The source lines beside a question, in every kind of browser.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../lib/aide.mjs';
import { expect, item, overflow, test, type Page } from '../../lib/test.ts';

const code = [
  '/* A session', '   that ends. */', 'fn open<T>(name: &str) -> Session<T> {', '    let limit = 3_600; // seconds',
  '    Session::new(name, "user <id>", limit)', '}', ...Array.from({ length: 60 }, (_, line) => `const C${line + 7}: u8 = 1;`),
];

const about = (start: number, end: number) => ({
  task: 'Sessions',
  source: 'task-now.md',
  items: [{
    id: 1,
    title: 'How long does a session last?',
    location: { file: 'session.rs', start, end },
    options: [{ value: 'hour', label: 'An hour' }, { value: 'day', label: 'A day' }],
  }],
});

function written() {
  const dir = project();
  writeFileSync(join(dir, 'session.rs'), `${code.join('\n')}\n`);
  return dir;
}

const lines = (page: Page) => item(page, 1).locator('.source-content');
const around = (page: Page) => item(page, 1).locator('.around');

test('source lines are coloured, and say what the file says', async ({ page, start, open }) => {
  const waiting = await start(about(2, 5), { dir: written() });
  await open(page, waiting.url);
  await expect(lines(page).locator('code')).toHaveText(code.slice(1, 5));
  const seen = (name: string) => lines(page).locator(`.${name}`);
  await expect(seen('com')).toHaveText(['   that ends. */', '// seconds']);
  await expect(seen('key')).toHaveText(['fn', 'str', 'let']);
  await expect(seen('str')).toHaveText(['"user <id>"']);
  await expect(seen('num')).toHaveText(['3_600']);
  await expect(seen('nam')).toContainText(['Session', 'Session', 'new']);
});

test('every colour is read easily, by day and by night', async ({ page, start, open }) => {
  const waiting = await start(about(2, 5), { dir: written() });
  await open(page, waiting.url);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const contrasts = await lines(page).evaluate((box) => {
      const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      if (!brush) throw new Error('nothing to draw with');
      const luminance = (color: string) => {
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...brush.getImageData(0, 0, 1, 1).data].map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const ground = luminance(getComputedStyle(box).backgroundColor);
      return Object.fromEntries(['com', 'key', 'str', 'num', 'nam'].map((name) => {
        const piece = box.querySelector(`.${name}`);
        if (!piece) throw new Error(`no .${name}`);
        const [low = 0, high = 0] = [luminance(getComputedStyle(piece).color), ground].sort((a, b) => a - b);
        return [name, (high + 0.05) / (low + 0.05)];
      }));
    });
    for (const [name, contrast] of Object.entries(contrasts)) expect(contrast, `${name}, ${colorScheme}`).toBeGreaterThan(7);
  }
});

test('twenty lines above and below can be opened, from the keyboard too', async ({ page, start, open }) => {
  const waiting = await start(about(30, 31), { dir: written() });
  await open(page, waiting.url);
  await expect(around(page).locator('summary')).toHaveText(['上方第 10-29 行', '下方第 32-51 行']);
  await expect(around(page).locator('pre:visible')).toHaveCount(0);
  await around(page).first().locator('summary').click();
  await around(page).last().locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(around(page).locator('pre:visible')).toHaveCount(2);
  const shown = around(page).locator('[data-line]');
  await expect(shown).toHaveCount(40);
  await expect(shown.first()).toHaveText(code[9] ?? '');
  await expect(shown.last()).toHaveText(code[50] ?? '');
  await expect(shown.first()).toHaveAttribute('data-line', '10');
  expect(await shown.first().evaluate((line) => getComputedStyle(line, '::before').content)).toBe('"10"');
  // One line of text is one line high, and those that are meant are the ones in the frame.
  const heights = await shown.evaluateAll((all) => all.map((line) => Math.round(line.getBoundingClientRect().height)));
  expect(new Set(heights).size).toBe(1);
  expect(heights[0]).toBeLessThan(30);
  await expect(lines(page).locator('.line-number')).toHaveText(['30', '31']);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await overflow(page)).toBe(0);
});

test('a file that has changed since the question was asked is marked with words', async ({ page, start, open }) => {
  const dir = written();
  const waiting = await start(about(4, 4), { dir });
  await open(page, waiting.url);
  const note = item(page, 1).locator('.source-note');
  await expect(note).toHaveCount(0);
  writeFileSync(join(dir, 'session.rs'), `// One line more.\n${code.join('\n')}\n`);
  await open(page, waiting.url);
  await expect(note).toHaveText('⚠ 提问之后此文件已更改，所指的行可能已不同');
  await expect(lines(page).locator('code')).toHaveText([code[2] ?? '']);
  rmSync(join(dir, 'session.rs'));
  await open(page, `${waiting.url}/?lang=en`);
  await expect(note).toHaveText('⚠ This file could be read when the question was asked, but no longer');
  await expect(lines(page)).toHaveCount(0);
});
