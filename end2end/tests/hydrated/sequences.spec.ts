// Random keys on pages of every shape. Whatever they do, nothing that was answered or written is lost for good, and nothing
// that was typed into a field is taken for a key. AIDE_PROOF_FACTOR runs more of them, AIDE_SEED the same ones again.
import { questions } from '../../lib/inputs.mjs';
import { expect, hydrated, test, type Page } from '../../lib/test.ts';

const factor = Number(process.env['AIDE_PROOF_FACTOR'] ?? 1);
const seed = Number(process.env['AIDE_SEED'] ?? Date.now() % 1_000_000);

/** Keys in one sequence. */
const LENGTH = 9;

const two = [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }];
const context = Array.from({ length: 12 }, (_, line) => `Paragraph ${line + 1}.`).join('\n\n');

/** Every kind of question, each with something that the others lack. */
const kinds = {
  task: '(2) t', source: 's',
  items: [
    { id: 1, title: 'one', options: two, recommend: 'b', context },
    { id: 2, title: 'own', options: two, allow_other: true },
    { id: 3, title: 'several', options: [...two, { value: 'c', label: 'C' }], multiple: true, allow_other: true, recommend: 'a', context },
    { id: 4, title: 'words', kind: 'text', options: [] },
    { id: 5, title: 'optional', options: two, required: false, recommend: 'a' },
    { id: 6, title: 'confirm', kind: 'confirm', options: [{ value: 'go', label: 'Go', description: context }] },
    { id: 7, title: 'files', kind: 'files', options: [], required: false },
    { id: 8, title: 'last', options: two, allow_other: true, required: false },
  ],
};

const shapes = [
  { name: 'one question', input: { ...questions(1) }, width: 1280, height: 800, share: 1 },
  { name: 'few questions', input: questions(3), width: 1280, height: 800, share: 1 },
  { name: 'many questions', input: questions(40), width: 1280, height: 800, share: 1 },
  { name: 'questions of every kind', input: kinds, width: 1280, height: 800, share: 2 },
  { name: 'questions of every kind in a small window', input: kinds, width: 360, height: 480, share: 2 },
  { name: 'more questions than are laid out', input: questions(300), width: 1280, height: 800, share: 0.2 },
];

/** The same numbers for the same seed. */
function numbers(from: number) {
  let state = from >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)]!, chance: (of: number) => next() < of };
}

interface Seen {
  /** What is chosen and ticked. */
  checked: string;
  texts: Record<string, string>;
  /** The field that has the focus. */
  field: string;
  /** Whether it is in sight, as far as it fits. */
  isSeen: boolean;
  /** Whether the focus is where questions are sent back. */
  inPanel: boolean;
  /** Whether Enter and Space would press something that leads elsewhere. */
  onButton: boolean;
  isComplete: boolean;
  current: string;
  /** The digit that opens a field of the current question. */
  opens: string;
  line: string;
}

const look = (page: Page): Promise<Seen> => page.evaluate(() => {
  const inputs = document.querySelectorAll<HTMLInputElement>(':is(.item, #return) input:checked:not([aria-hidden])');
  const areas = [...document.querySelectorAll('textarea')].filter((area) => area.value !== '');
  const active = document.activeElement!;
  const field = active.matches('textarea') ? active.id : '';
  const { top, bottom, left } = active.getBoundingClientRect();
  const edge = document.querySelector('.bar')!.getBoundingClientRect().top;
  // The middle of what could be seen of it.
  const behind = document.elementFromPoint(left + 9, (Math.max(top, 0) + Math.min(bottom, edge)) / 2);
  const current = document.querySelector('.item[data-current]');
  const choices = [...(current?.querySelectorAll<HTMLInputElement>('.options-list input') ?? [])];
  const own = choices.findIndex((choice) => choice.closest('.other') && !(choice.type === 'checkbox' && choice.checked));
  return {
    checked: [...inputs].map((input) => `${input.name}=${input.value}`).join(' '),
    texts: Object.fromEntries(areas.map((area) => [area.id, area.value])),
    field,
    isSeen: behind === active,
    inPanel: active.closest('#return[open]') !== null,
    onButton: active.matches('button, a, summary, [type=file]'),
    isComplete: document.querySelector('#submit-btn')?.getAttribute('aria-disabled') !== 'true',
    current: current?.id ?? '',
    opens: own >= 0 && own < 9 ? String(own + 1) : '',
    line: document.querySelector('#changed')?.textContent ?? '',
  };
});

const LETTERS = [...'jkl]h[123459rrraaxxddv?uuuuUUnnoiibqsz'];
const KEYS = [...LETTERS, 'Escape', 'Enter', 'Tab', 'Shift+Tab', 'ArrowDown', 'ArrowUp', 'Space', 'Control+Enter'];
const OPENERS = 'noib';

for (const [at, shape] of shapes.entries()) {
  test(`nothing is lost, and nothing typed is a key: ${shape.name}`, async ({ page, start, open }) => {
    const sequences = Math.ceil(32 * shape.share * factor);
    test.setTimeout(60_000 + sequences * 2_000);
    console.log(`${shape.name}: ${sequences} sequences, AIDE_SEED=${seed}`);
    const random = numbers(seed * 31 + at);
    await page.setViewportSize({ width: shape.width, height: shape.height });
    const waiting = await start(shape.input as never);
    await open(page, `${waiting.url}/?lang=en`);

    let seen = await look(page);
    // What `u` and `U` are to lead to.
    let undo: string[] = [];
    let redo: string[] = [];
    let keys: string[] = [];
    const said = () => `AIDE_SEED=${seed}, ${shape.name}, after ${JSON.stringify(keys)}`;

    /** What holds whatever has happened; `typed` is what was typed into a field, which is the one that has the focus now. */
    const check = (now: Seen, typed: string) => {
      const before = typed ? seen.texts[now.field] ?? '' : '';
      const { [typed ? now.field : '']: after = '', ...others } = now.texts;
      const { [typed ? now.field : '']: _, ...were } = seen.texts;
      expect(others, said()).toEqual(were);
      expect([...after].sort().join(''), said()).toBe([...before, ...typed].sort().join(''));
      if (now.checked !== seen.checked) {
        undo.push(seen.checked);
        redo = [];
      }
      seen = now;
    };

    /** The key `key`, and `text` typed right after it. */
    const press = async (key: string, text = '') => {
      keys.push(key + text);
      const isText = seen.field !== '' && (key.length === 1 || key === 'Space' || key === 'Enter');
      const opens = seen.field === '' && (OPENERS.includes(key) ? !seen.inPanel || 'ib'.includes(key) : !seen.inPanel && key === seen.opens);
      await page.keyboard.press(key);
      // The message has its place on the page before the focus moves.
      if (key === 'Control+Enter') await page.evaluate(() => new Promise(requestAnimationFrame));
      if (text) await page.keyboard.type(text);
      const now = await look(page);
      if (isText) {
        check(now, ({ Space: ' ', Enter: '\n' }[key] ?? key) + text);
      } else if (opens) {
        expect([now.field !== '', now.isSeen], said()).toEqual([true, true]);
        check(now, text);
      } else if (key === 'u' || key === 'U') {
        const [from, to] = seen.inPanel ? [[], []] : key === 'u' ? [undo, redo] : [redo, undo];
        const expected = from.pop();
        if (expected !== undefined) to.push(seen.checked);
        expect(now.checked, said()).toBe(expected ?? seen.checked);
        expect(now.texts, said()).toEqual(seen.texts);
        if (expected !== undefined) expect(now.line, said()).not.toBe('');
        seen = now;
      } else {
        const { checked } = seen;
        check(now, text);
        // The bar says what a key has changed.
        if (now.checked !== checked) expect(now.line, said()).toMatch(/changed|cleared/);
      }
    };

    for (let sequence = 0; sequence < sequences; sequence += 1) {
      keys = [];
      for (let step = 0; step < LENGTH; step += 1) {
        const what = random.below(100);
        if (what < 12) {
          keys.push('scroll');
          await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), random.below(10) / 10);
        } else if (what < 18) {
          keys.push('click');
          await page.evaluate((part) => {
            const labels = document.querySelectorAll<HTMLElement>('.options-list label.option, .return-items label');
            labels[Math.floor(part * labels.length)]?.click();
          }, random.below(1000) / 1000);
          check(await look(page), '');
        } else if (what < 40 && seen.field === '') {
          const text = Array.from({ length: 1 + random.below(6) }, () => random.one(LETTERS)).join('');
          if (seen.inPanel) await press('Escape');
          await press(random.chance(0.2) && seen.opens ? seen.opens : random.one([...OPENERS]), text);
        } else {
          const key = random.one(KEYS);
          const isBlank = (seen.texts['return-message'] ?? '').trim() === '';
          if (['Enter', 'Space'].includes(key) && seen.onButton) continue;
          // This would be the end.
          if (key === 'Control+Enter' && (seen.inPanel ? !isBlank : seen.isComplete)) continue;
          const isSent = key === 'Control+Enter' && seen.inPanel;
          await press(key);
          if (isSent) expect(seen.field, said()).toBe('return-message');
        }
      }
      // To leave the page is no way to lose anything either.
      if (random.chance(0.04)) {
        if (seen.field !== '' || seen.inPanel) await press('Escape');
        const { checked, texts, current } = seen;
        keys.push('c');
        await page.keyboard.press('c');
        await page.locator('#review').waitFor();
        await page.keyboard.press('Escape');
        await page.locator('#decide').waitFor();
        await hydrated(page);
        [undo, redo] = [undo.slice(-99), redo.slice(-99)];
        seen = await look(page);
        expect([seen.checked, seen.texts], said()).toEqual([checked, texts]);
        expect(current, said()).not.toBe('');
      }
    }
  });
}
