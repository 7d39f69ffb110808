// Text of an agent, and of a person, that would like to be more than text.
import type { Input } from '../../lib/inputs.mjs';
import { expect, expectDecided, expectSuccess, note, overflow, submit, test, type Page } from '../../lib/test.ts';

const HOSTILE = [
  '<script>window.__xss=1</script>',
  '</textarea><script>window.__xss=2</script>',
  '</script><script>window.__xss=3</script>',
  '[click](javascript:window.__xss=4)',
  '<a href="javascript:window.__xss=5">click</a>',
  '<img src=x onerror="window.__xss=6">',
  '![picture](http://elsewhere.invalid/x.png)',
  '"><svg onload=window.__xss=7>',
  '\' autofocus onfocus=\'window.__xss=8\' x=\'',
  '</title><iframe srcdoc="<script>parent.__xss=9</script>"></iframe>',
  '<style>*{display:none!important}</style><link rel=stylesheet href=//elsewhere.invalid/x.css>',
  '<!-- <form action=//elsewhere.invalid> ]]>',
  'W'.repeat(10_000),
];

const input: Input = {
  task: HOSTILE.join(' '),
  source: HOSTILE.join(' '),
  items: HOSTILE.map((text, index) => ({
    id: index + 1,
    title: text,
    context: text,
    location: { file: text, start: 1, end: 2 },
    options: [
      { value: text, label: text, score: 1, pros: [text, text], cons: [text] },
      { value: `${text} 2`, label: `${text} 2`, score: 2, pros: [text], cons: [text, text] },
    ],
    recommend: text,
  })),
};

async function expectHarmless(page: Page) {
  const found = await page.evaluate(() => ({
    executed: (window as { __xss?: number }).__xss,
    handlers: [...document.querySelectorAll('*')].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith('on')).map((name) => `${element.tagName} ${name}`)),
    links: [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((element) =>
      ['href', 'src', 'action', 'formaction'].map((name) => element.getAttribute(name) ?? '').filter((value) =>
        /^\s*(javascript|vbscript|data:text)/i.test(value))),
    foreign: [...document.querySelectorAll('main iframe, main img, main style, main link, main object, main embed')].map(
      (element) => element.outerHTML),
  }));
  expect(found).toEqual({ executed: undefined, handlers: [], links: [], foreign: [] });
}

test('hostile text in every field is shown as text and does no harm', async ({ page, start, open, mode }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const waiting = await start(input);
  await open(page, waiting.url);

  await expectHarmless(page);
  expect(await overflow(page), 'wider than the window').toBe(0);
  await expect(page.locator('#task-name')).toHaveText(HOSTILE.join(' '));
  await expect(page.locator('#task-source')).toHaveText(HOSTILE.join(' '));
  for (const [index, text] of HOSTILE.entries()) {
    const card = page.locator(`#item-${index + 1}`);
    await expect(card.locator('legend')).toContainText(text);
    await expect(card.locator('.option-label')).toHaveText([`${text} 推荐`, `${text} 2`]);
    await expect(card.locator('.option[data-recommended=true]')).toContainText(text);
    await expect(card.locator('.option-pro').first()).toContainText(text);
    await expect(card.locator('.item-location')).toContainText(text);
    await card.locator('input[type=radio]').last().check();
    await note(page, index + 1).fill(text);
  }

  // What was typed comes back: from a draft, or from the server that found something missing.
  if (mode === 'hydrated') {
    await page.reload();
    await open(page, waiting.url);
  } else {
    await page.locator('#recommend-btn').click();
  }
  for (const [index, text] of HOSTILE.entries()) await expect(note(page, index + 1)).toHaveValue(text);
  await expectHarmless(page);
  expect(await overflow(page), 'wider than the window').toBe(0);

  await submit(page).click();
  await expectSuccess(page);
  await expectHarmless(page);
  expect(await overflow(page), 'wider than the window').toBe(0);
  await expectDecided(waiting, HOSTILE.map((text, index) => ({ id: index + 1, chosen: `${text} 2`, note: text })), input);
});

/** What would run, load or hide something if it were more than text. */
const VECTORS = [
  '<script>window.__xss=1</script>', '<ScRiPt>window.__xss=1</sCrIpT>', '<script/src=//elsewhere.invalid/x.js></script>',
  '<scr<script>ipt>window.__xss=1</scr</script>ipt>', '<img src=x onerror=window.__xss=1>', '<img/src/onerror=window.__xss=1>',
  '<svg/onload=window.__xss=1>', '<svg><script>window.__xss=1</script></svg>', '<svg><animate onbegin=window.__xss=1 attributeName=x>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.__xss=1>', '<body onload=window.__xss=1>',
  '<iframe src="javascript:parent.__xss=1"></iframe>', '<iframe srcdoc="<script>parent.__xss=1</script>">', '<object data=//elsewhere.invalid>',
  '<embed src=//elsewhere.invalid>', '<a href="javascript:window.__xss=1">x</a>', '<a href="&#106;avascript:window.__xss=1">x</a>',
  '<a href="java\tscript:window.__xss=1">x</a>', '<a href="data:text/html,<script>1</script>">x</a>', '<form action=//elsewhere.invalid><button>x',
  '<button formaction="javascript:window.__xss=1">x', '<base href=//elsewhere.invalid>', '<meta http-equiv=refresh content="0;url=//elsewhere.invalid">',
  '<link rel=stylesheet href=//elsewhere.invalid/x.css>', '<style>*{display:none!important}</style>', '<div style="position:fixed;inset:0">x</div>',
  '<noscript><p title="</noscript><img src=x onerror=window.__xss=1>">', '<template><script>window.__xss=1</script></template>',
  '<details open ontoggle=window.__xss=1>', '<input autofocus onfocus=window.__xss=1>', '<video><source onerror=window.__xss=1>', '<marquee onstart=window.__xss=1>',
  '<leptos-island data-component="x"></leptos-island>', '<xss onpointerrawupdate=window.__xss=1 style=display:block>x</xss>',
];
/** Where such a text could break out of, or be taken for something else. */
const WRAPS: ((vector: string) => string)[] = [
  (vector) => vector,
  (vector) => `"'\`></textarea></title></style></template>${vector}`,
  (vector) => `[link](javascript:window.__xss=1 "${vector}") ![image](data:text/html,x "${vector}")`,
  (vector) => `\`\`\`html"${vector}\n${vector}\n\`\`\``,
  (vector) => `<!--><p>${vector}--!> ]]> <https://elsewhere.invalid/${vector}>`,
];
const CORPUS = WRAPS.flatMap((wrap) => VECTORS.map(wrap));

test('S70 a corpus of scripts in every field runs nowhere', async ({ page, start, open }) => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(150);
  const waiting = await start({
    task: CORPUS.join(' '),
    source: CORPUS.join(' '),
    items: CORPUS.map((text, index) => ({
      id: index + 1,
      title: text,
      context: text,
      location: { file: text, start: 1, end: 2 },
      options: [
        { value: text, label: text, pros: [text], cons: [text] },
        { value: `${text} 2`, label: `${text} 2` },
      ],
      recommend: text,
    })),
  });
  await open(page, waiting.url);
  await expectHarmless(page);
  await expect(page.locator('fieldset.item')).toHaveCount(CORPUS.length);
  expect(await page.locator('script').count()).toBeLessThanOrEqual(1);
});
