// Measures the numbers that the project promises. All conditions are measured once per round, one after the other, so that
// a slow moment of the machine hits them alike; the first round warms up and does not count.
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { get } from 'node:http';
import { cpus, release, totalmem } from 'node:os';
import { chromium } from '@playwright/test';
import { ask, binary, project, remove } from '../lib/aide.mjs';
import { chromium as launch } from '../lib/chromium.mjs';
import * as agents from './agents.mjs';
import * as daemons from './daemon.mjs';
import { writeDocument } from './document.mjs';
import { peakMemory } from './process.mjs';
import * as flow from './flow.mjs';
import * as lean from './lean.mjs';
import * as mcp from './mcp.mjs';
import * as workflows from './workflow.mjs';
import { questions } from '../lib/inputs.mjs';
import { pageSize } from '../lib/page-size.mjs';

const asked = process.argv.indexOf('--rounds');
const rounds = asked > 0 ? Number(process.argv[asked + 1]) : 21;

/** @type {Record<string, number[]>} */
const samples = {};
let counts = false;
/** @param {string} name @param {number} value */
const sample = (name, value) => counts && (samples[name] ??= []).push(value);
const now = () => performance.timeOrigin + performance.now();

/** @param {string} url @returns {Promise<void>} */
const answers = (url) => new Promise((resolve, reject) => {
  get(url, { agent: false }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`));
    response.resume().on('end', resolve);
  }).on('error', reject);
});

// --- Command started → link printed, page answers -------------------------------------------------------------------

/** @param {number} count */
async function start(count) {
  const input = questions(count);
  const dir = project();
  const began = now();
  const waiting = await ask(input, { dir });
  await answers(`${waiting.url}/`);
  sample(`start ${count}`, now() - began);
  await waiting.kill();
  remove(dir);
}

// --- Page ready -----------------------------------------------------------------------------------------------------

// Runs in the page before anything else. Ready is the moment at which something was painted, the last radio button of the
// document could be hit in the middle, and a click on it had its effect: the button is checked, and the script has
// counted it. A click before the script is there must not be lost, so one is enough. Awake is when keys and drafts work.
function watchReady() {
  const awake = () => { /** @type {any} */ (window).__awake = performance.now(); };
  new MutationObserver(awake).observe(document, { subtree: true, attributeFilter: ['data-hydrated'] });
  let clicked = false;
  const look = () => {
    const again = () => void setTimeout(look, 1);
    if (document.readyState === 'loading' || performance.getEntriesByName('first-contentful-paint').length === 0) return again();
    if (!clicked) {
      const all = document.querySelectorAll('input[type=radio]');
      const last = /** @type {HTMLInputElement | undefined} */ (all[all.length - 1]);
      if (!last) return again();
      last.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = last.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!hit || hit.closest('label') !== last.closest('label')) return again();
      last.click();
      if (!last.checked) return again();
      clicked = true;
    }
    if (!document.querySelector('#progress-text')?.textContent?.includes(' 1/')) return again();
    /** @type {any} */ (window).__ready = performance.now();
  };
  look();
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
async function ready(browser, url) {
  const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watchReady);
  await page.goto(url, { waitUntil: 'commit' });
  const time = await (await page.waitForFunction(() => /** @type {any} */ (window).__ready)).jsonValue();
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  return { time, paint, context, page };
}

/**
 * What one more answer costs: script, what follows from it, style and layout. Clicked to and fro in the first question.
 * @param {import('playwright-core').Page} page
 */
const oneMore = (page) => page.evaluate(async () => {
  const [one, other] = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[type=radio]'));
  const times = [];
  for (let round = 0; round < 40; round += 1) {
    const began = performance.now();
    (round % 2 ? one : other)?.click();
    // What is scheduled for after the event runs here.
    for (let tick = 0; tick < 10; tick += 1) await null;
    void document.body.offsetHeight;
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[times.length / 2] ?? NaN;
});

/** @param {import('playwright-core').Browser} browser @param {number} count */
async function pageReady(browser, count) {
  const waiting = await ask(questions(count));
  const floor = await lean.serve(questions(count));
  // Which of the two goes first alternates.
  for (const first of (samples[`floor ${count}`]?.length ?? 0) % 2 ? [true, false] : [false, true]) {
    const { time, paint, context, page } = await ready(browser, first ? `${waiting.url}/` : floor.url);
    sample(`${first ? 'ready' : 'floor'} ${count}`, time);
    sample(`${first ? 'paint' : 'floor paint'} ${count}`, paint);
    if (first) {
      sample(`awake ${count}`, await (await page.waitForFunction(() => /** @type {any} */ (window).__awake)).jsonValue());
      sample(`one more ${count}`, await oneMore(page));
      sample(`memory ${count}`, peakMemory(waiting.pid));
      await submitted(waiting, page, count);
    }
    await context.close();
  }
  floor.close();
  remove(waiting.dir);
}

// --- Submit pressed → command ended -----------------------------------------------------------------------------------

/**
 * @param {import('../lib/aide.mjs').Waiting} waiting
 * @param {import('playwright-core').Page} page
 * @param {number} count
 */
async function submitted(waiting, page, count) {
  await page.locator('#recommend-btn').click();
  await page.locator('#submit-btn:enabled').waitFor();
  const ended = waiting.done.then((end) => ({ end, time: now() }));
  const pressed = await page.evaluate(() => {
    const time = performance.timeOrigin + performance.now();
    /** @type {HTMLElement} */ (document.querySelector('#submit-btn')).click();
    return time;
  });
  const { end, time } = await ended;
  if (end.code !== 0) throw new Error(`aide ended with ${end.code}\n${end.stderr}`);
  sample(`submit ${count}`, time - pressed);
}

// --- aide decide result -----------------------------------------------------------------------------------------------

// Timed by a shell, as an agent's shell would run it. Starting a process from here would cost as much as the command itself.
const TIMED = 'for command; do began=$EPOCHREALTIME; $command >/dev/null || exit; ended=$EPOCHREALTIME; echo $((${ended/[.,]/} - ${began/[.,]/})); done';

async function result() {
  const input = questions(2);
  const waiting = await ask(input);
  const decisions = input.items.map(({ id, options = [] }) => ({ id, chosen: options[0]?.value }));
  const answer = await fetch(`${waiting.url}/api/submit`, {
    method: 'POST', headers: { 'content-type': 'application/json', origin: waiting.url }, body: JSON.stringify({ decisions }),
  });
  if (!answer.ok) throw new Error(`/api/submit: status ${answer.status}`);
  await waiting.done;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', `${binary} decide result`, '/bin/true'], { cwd: waiting.dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(`aide decide result: exit code ${status}\n${stderr}`);
  const [command, nothing] = stdout.trim().split('\n').map((microseconds) => Number(microseconds) / 1000);
  sample('result', command ?? NaN);
  sample('nothing', nothing ?? NaN);
  remove(waiting.dir);
}

// --- The run ------------------------------------------------------------------------------------------------------------

const [largeTask, longTask, plan] = [flow.large(), flow.long(), new agents.Plan()];
const browser = await chromium.launch(launch());
for (let round = 0; round <= rounds; round += 1) {
  counts = round > 0;
  process.stderr.write(`round ${round} of ${rounds}${counts ? '' : ' (warming up)'}\n`);
  for (const count of [2, 1000]) await start(count);
  await result();
  sample('by hand', flow.byHand(largeTask));
  sample('action', flow.action(largeTask));
  sample('status', flow.status(longTask));
  for (const count of [2, 50, 1000]) await pageReady(browser, count);
}
for (const dir of [largeTask, longTask]) flow.remove(dir);
// By themselves: what they write keeps the disk busy for whatever comes next.
for (let round = 0; round <= rounds; round += 1) {
  counts = round > 0;
  sample('execute', plan.execute());
  sample('deliver', plan.deliver());
}
plan.remove();
const [few, many] = [100, 100_000];
for (const count of [few, many]) {
  const settled = new agents.Plan();
  settled.settle(count);
  for (let round = 0; round < 3; round += 1) {
    const { memory, time } = await settled.idle();
    sample(`router memory ${count}`, memory);
    sample(`router time ${count}`, time);
  }
  settled.remove();
}
{
  const daemon = new daemons.Daemon();
  for (let round = 0; round <= rounds; round += 1) {
    counts = round > 0;
    sample('daemon start', daemon.start());
    daemon.stop();
  }
  daemon.start();
  for (let round = 0; round < 3; round += 1) sample('daemon idle', await daemon.idle());
  for (const time of await daemon.changes()) sample('daemon change', time);
  for (let round = 0; round < 3; round += 1) sample('daemon events', await daemon.events());
  sample('daemon crowd', await daemon.crowd());
  await daemon.open(daemons.OPEN);
  // Once: those that were left then need not be left again.
  daemon.kill();
  sample('daemon restart', daemon.start());
  daemon.stop();
  daemon.remove();
}
for (let round = 0; round <= rounds; round += 1) {
  counts = round > 0;
  await mcp.round(sample);
}
await mcp.slow(sample);
{
  const crew = new workflows.Crew();
  await crew.start();
  for (let round = 0; round < 3; round += 1) {
    for (const time of await crew.steps()) sample('workflow step', time);
    for (const time of await crew.decisions()) sample('workflow decision', time);
    sample('workflows together', await crew.together());
  }
  crew.stop();
  const worked = new workflows.Crew();
  await worked.start();
  const { few, many, peak } = await worked.memory();
  sample('workflow memory few', few);
  sample('workflow memory many', many);
  sample('workflow memory peak', peak);
  worked.stop();
  for (const count of [workflows.TASKS, workflows.SHOWN]) {
    const planned = new workflows.Planned();
    const url = await planned.page(count);
    for (let round = 0; round <= rounds; round += 1) {
      counts = round > 0;
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(url);
      // The page has been loaded before it has been painted.
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      const { paint, bytes } = await page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        bytes: /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType('navigation')[0]).encodedBodySize,
      }));
      sample(`workflow page ${count}`, paint);
      sample(`workflow bytes ${count}`, bytes / 1000);
      await context.close();
    }
    planned.remove();
  }
}
const small = await ask(questions(2));
const size = await pageSize(browser, small.url);
await small.kill();
remove(small.dir);
const chromiumVersion = browser.version();
await browser.close();

// --- The table ------------------------------------------------------------------------------------------------------------

/** @param {number[]} values */
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 ? high : (low + high) / 2;
};
/** @param {string} name */
const measured = (name) => {
  const values = samples[name] ?? [];
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
};
/** @typedef {{ what: string, limit?: number, unit: string, digits: number, median: number, low?: number, high?: number }} Row */
/** @type {Row[]} */
const rows = [];
for (const [count, limit] of [[2, 10], [1000, 30]])
  rows.push({ what: `command started → link printed and page answers, ${count} items`, limit: limit ?? 0, unit: ' ms', digits: 1, ...measured(`start ${count}`) });
/** @param {string} what @param {string} ours @param {string} theirs @param {number} count @param {number} [limit] */
const againstFloor = (what, ours, theirs, count, limit) => {
  const [page, floor] = [samples[`${ours} ${count}`] ?? [], samples[`${theirs} ${count}`] ?? []];
  const ratios = page.map((time, index) => time / (floor[index] ?? NaN));
  const [ms, floorMs] = [median(page), median(floor)];
  rows.push({
    what: `${what}, ${count} items (${ms.toFixed(0)} ms, floor ${floorMs.toFixed(0)} ms)`,
    limit, unit: ' × floor', digits: 2, median: ms / floorMs, low: Math.min(...ratios), high: Math.max(...ratios),
  });
};
for (const count of [2, 50, 1000]) againstFloor('first paint', 'paint', 'floor paint', count, 1.2);
for (const [count = 0, limit = 0] of [[2, 1.4], [50, 1.3], [1000, 0.5]]) againstFloor('page ready', 'ready', 'floor', count, limit);
for (const count of [2, 50, 1000]) againstFloor('page awake', 'awake', 'floor', count);
{
  const [few, many] = [samples['one more 2'] ?? [], samples['one more 1000'] ?? []];
  const ratios = many.map((time, index) => time / (few[index] ?? NaN));
  const [fewMs, manyMs] = [median(few), median(many)];
  rows.push({
    what: `one more answer, 1000 items (${manyMs.toFixed(1)} ms, 2 items ${fewMs.toFixed(1)} ms)`,
    limit: 2, unit: ' × at 2', digits: 2, median: manyMs / fewMs, low: Math.min(...ratios), high: Math.max(...ratios),
  });
}
for (const [count, limit] of [[2, 15], [1000, 30]])
  rows.push({ what: `submit pressed → command ended, ${count} items`, limit: limit ?? 0, unit: ' ms', digits: 1, ...measured(`submit ${count}`) });
rows.push({ what: 'everything the page loads, compressed, WASM included', limit: 120, unit: ' kB', digits: 1, median: size.total / 1000 });
for (const [count, limit] of [[2, 12], [1000, 25]])
  rows.push({ what: `memory of the waiting process, peak, ${count} items`, limit: limit ?? 0, unit: ' MB', digits: 1, ...measured(`memory ${count}`) });
rows.push({ what: '`aide decide result`', limit: 5, unit: ' ms', digits: 1, ...measured('result') });
{
  const [actions, byHand] = [samples['action'] ?? [], samples['by hand'] ?? []];
  const ratios = actions.map((time, index) => time / (byHand[index] ?? NaN));
  const [ms, handMs] = [median(actions), median(byHand)];
  rows.push({
    what: `\`aide flow next-step\`, 10,000 files (${ms.toFixed(0)} ms, \`git add\` and \`git commit\` ${handMs.toFixed(0)} ms)`,
    limit: 2, unit: ' × by hand', digits: 2, median: ms / handMs, low: Math.min(...ratios), high: Math.max(...ratios),
  });
}
rows.push({ what: '`aide flow status`, 10,000 entries', limit: 10, unit: ' ms', digits: 1, ...measured('status') });
rows.push({ what: '`aide agent run --once`: command in the inbox → message in the outbox, the provider is `cat`', limit: 20, unit: ' ms', digits: 1, ...measured('execute') });
rows.push({ what: `\`aide plan tick\`, ${agents.MESSAGES} messages to one agent (${(agents.MESSAGES / measured('deliver').median * 1000).toFixed(0)} per second)`, unit: ' ms', digits: 0, ...measured('deliver') });
{
  /** @param {string} what @param {string} name @param {number} limit @param {(value: number) => string} told */
  const settled = (what, name, limit, told) => {
    const [less, more] = [measured(`${name} ${few}`).median, measured(`${name} ${many}`).median];
    const at = (/** @type {number} */ count) => count.toLocaleString('en');
    rows.push({ what: `\`aide plan run\`, ${at(many)} messages settled: ${what} (${told(more)}, ${at(few)} settled: ${told(less)})`,
      limit, unit: ` × at ${few}`, digits: 2, median: more / less });
  };
  settled('memory at its peak', 'router memory', 1.2, (value) => `${value.toFixed(1)} MB`);
  settled('processor time while idle', 'router time', 2, (value) => `${(value / agents.IDLE).toFixed(2)} ms a second`);
}
rows.push({ what: '`aide daemon start`: until `/health` has answered', limit: 50, unit: ' ms', digits: 1, ...measured('daemon start') });
rows.push({ what: `\`aide daemon start\` after a kill, ${daemons.OPEN.toLocaleString('en')} open workflows`, limit: 5000, unit: ' ms', digits: 0, ...measured('daemon restart') });
rows.push({ what: 'daemon: a change of a workflow over HTTP, written to the disk before the response', unit: ' ms', digits: 2, ...measured('daemon change') });
rows.push({ what: 'daemon: events a second, requested over HTTP by 32 clients at a time, written to the disk and sent', unit: '', digits: 0, ...measured('daemon events') });
rows.push({ what: 'daemon: memory while idle', limit: 25, unit: ' MB', digits: 1, ...measured('daemon idle') });
rows.push({ what: `daemon: memory at its peak, ${daemons.CLIENTS.toLocaleString('en')} clients receive ${daemons.RATE} events a second`, limit: 150, unit: ' MB', digits: 1, ...measured('daemon crowd') });
rows.push({ what: 'workflow: an agent has answered → the next request is sent, with a file read in between, all on the disk', unit: ' ms', digits: 1, ...measured('workflow step') });
rows.push({ what: 'workflow: a person has decided → the agent is informed', unit: ' ms', digits: 1, ...measured('workflow decision') });
rows.push({ what: `workflows: ${workflows.WORKFLOWS} of ${workflows.TASKS} tasks at a time, whose agents answer at once`, unit: ' s', digits: 1, ...measured('workflows together') });
{
  const at = (/** @type {number} */ count) => count.toLocaleString('en');
  const [few, many, peak] = ['few', 'many', 'peak'].map((name) => measured(`workflow memory ${name}`).median);
  const [less = NaN, more = NaN, most = NaN] = [few, many, peak];
  rows.push({ what: `workflows: memory after ${at(workflows.MANY_STEPS)} steps (${more.toFixed(1)} MB, ${most.toFixed(1)} at its peak; after ${at(workflows.FEW_STEPS)}: ${less.toFixed(1)} MB)`,
    unit: ` × at ${at(workflows.FEW_STEPS)}`, digits: 2, median: more / less });
  const [page, large] = [workflows.TASKS, workflows.SHOWN].map((count) => ({ paint: measured(`workflow page ${count}`), bytes: measured(`workflow bytes ${count}`).median }));
  if (page && large) rows.push({ what: `page of a workflow of ${at(workflows.SHOWN)} tasks: first paint (${large.bytes.toFixed(0)} kB; ${workflows.TASKS} tasks: ${page.paint.median.toFixed(0)} ms, ${page.bytes.toFixed(0)} kB)`,
    unit: ' ms', digits: 0, ...large.paint });
}
rows.push(...mcp.rows(measured));
rows.push({ what: 'binary, stripped', limit: 25, unit: ' MB', digits: 1, median: statSync(binary).size / 1e6 });

const table = [
  '| what | limit | measured | min – max | |',
  '|---|--:|--:|--:|---|',
  ...rows.map(({ what, limit, unit, digits, median, low, high }) => {
    const range = low === undefined || high === undefined ? '' : `${low.toFixed(digits)} – ${high.toFixed(digits)}`;
    const asked = limit === undefined ? ' |' : ` ${limit}${unit} |`;
    const verdict = limit === undefined ? '' : Number(median.toFixed(digits)) <= limit ? '✓' : 'missed';
    return `| ${what} |${asked} ${median.toFixed(digits)}${unit} | ${range} | ${verdict} |`;
  }),
].join('\n');

const rustc = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).trim().replace(/ \(.*/, '');
const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Chromium ${chromiumVersion}, ${rustc}`;
const files = size.files.map(({ path, bytes }) => `| \`${path}\` | ${bytes} |`).join('\n');
const today = new Date().toISOString().slice(0, 10);

const report = `# Benchmarks

Written by \`scripts/bench\`; do not edit. Run of ${today}: ${machine}.

${table}

Medians of ${rounds} interleaved runs after a warm-up. The server, Chromium and the measuring program share the machine. Each item has
two options with scores, two pros, two cons and a context. A shell measures \`aide decide result\`; for a program that does
nothing, it measures ${measured('nothing').median.toFixed(1)} ms.

*Page ready* is the time from the start of the navigation until something is painted, the last radio button responds to clicks,
and the script has counted a click on it; in a fresh browser profile, without cache. *Awake* means that the WASM has taken over:
keys, drafts, news. The *floor* is the leanest page that asks the same questions (\`end2end/bench/lean.mjs\`): one file, a
kilobyte of style, fifteen lines of script, 19 elements a question. *One more answer* is script, style and layout after a click
on an option. *Submit pressed* is a click on the button of the hydrated page; *ended* is the end of the process and of its
output.

## Where the time on the page goes

These findings come from Chromium's own traces, on two cores that server, browser and measurement share. These changes helped,
in order of their effect:

- Style sheet and script are in the page itself. The address is new with every port, so nothing is ever cached, and each file
  that delayed the first paint cost 20 to 40 ms.
- The WASM is requested and started when the page has been painted and the browser is idle: on two cores, anything that runs
  during painting delays it, by 20 to 60 ms. Until then a few lines of script count the answers; only they contain the rule, and
  the WASM calls them.
- \`Cross-Origin-Opener-Policy\` was removed: it made the browser change processes, 20 to 40 ms.
- Options below the third question are laid out when they scroll into view. This does not apply to whole questions: Chromium
  examines every text area after it has read the document, and would lay out each question separately for that (50 questions:
  0.3 s; from 300 on it does not examine them).
- The style sheet names no fonts that the system may lack: the browser looks for each before it paints, 20 to 30 ms.
- The icon is set after the page has been painted: drawing an SVG takes 10 ms.
- If there are many questions, one \`content-visibility\` covers 50 entries of the list beside them, instead of one for each
  entry: the browser checks the position of each in every frame, and reports it to the page (1,000 questions: 0.1 s).
- A question has 26 elements instead of 44. A score's bar has no SVG. The questions are in a block instead of a grid, which was
  laid out again as a whole for each part that arrived (1,000 questions: 0.2 s).
- An answer updates the count of one question; title and icon follow a moment later, because an SVG icon costs as much as the
  rest of an answer.

These changes made no measurable difference: compiling the WASM by streaming (V8 compiles each function when it is first called,
18 ms for the 600 that a start needs); compiling all of it beforehand; optimising it for speed (774 functions and 341 kB) or in
between (995, 303 kB) instead of for size (1,203, 286 kB); ten questions in one \`content-visibility\`; fewer attributes.

The remaining CPU time of the page's main thread, for two questions: style 8 ms (floor 1), layout 17 (9), the browser's
examination of the text areas 5 (0). Without its style sheet the page is ready as soon as the floor; no kind of declaration
takes more than a tenth of the difference (shadows, round corners, transitions, \`:has()\`, grids, fonts, positions were left out
in turn). The WASM adds 30 ms, half of it compilation.

## What the binary is made of

The sizes were counted once, in November 2026, by the names of the symbols in a build that kept them: 18.8 MB, of which 15.1
have a name. Generic code counts where it was written, not where it is used.

| MB | |
|--:|---|
| 4.1 | \`core\`, \`alloc\`, \`std\`, hash tables: sorting, B-trees, formatting, for types of all crates |
| 1.8 | the page: its components, leptos, tachys, server functions |
| 1.7 | the command line: its commands and their words, clap, settings, TOML, phases and steps |
| 1.7 | workflows: the engine, the journal and SQLite, clients of a daemon |
| 1.1 | the server: tokio, hyper, axum, WebSockets, access control |
| 0.9 | the formats and their rules |
| 0.9 | agents and plans, providers (programs and endpoints), watching folders |
| 0.7 | HTTPS for endpoints: rustls, ring, reqwest, addresses |
| 0.5 | JSON |
| 0.4 | regular expressions, for patterns of file names and the names of migrations: left out since |
| 0.4 | JSON Schemas |
| 0.4 | Markdown and its sanitising |
| 0.2 | storage: files, decisions |
| 0.3 | the rest |
| 3.7 | without a name: tables for unwinding, texts, constants and the files for the browser |

The code that renders the page, serves requests and keeps the journal is compiled for size with some regard to speed ("s"), what
goes through each byte of a page for speed, and everything else for size alone ("z"). Parts of a page are rendered immediately
instead of being held as views without a type, which had pulled in the code that waits for parts and streams them; this reduced
the binary from 20.7 to 18.8 MB.

## What a package weighs

The packages for npm and PyPI are compressed as these formats prescribe. These changes made the static program for
x86-64 smaller in them, each measured with those before it:

| | MB |
|---|--:|
| all compiled for size, the page for speed; linked by similarity; no more than is used of SQLite; zlib | 10.12 |
| libdeflate at its slowest in place of zlib | 9.81 |
| functions that are the same are there once | 9.76 |
| tables for unwinding in the order of the code | 9.61 |
| compiled for the place where it lies; events read without derived code; the page for size with some regard to speed | 9.07 |
| no engine for regular expressions, which had read patterns of file names and the names of the migrations | 8.83 |

The last number is the whole package of version 0.2.0 for npm, with the licences of the libraries; that for PyPI has 5 kB more;
for aarch64 they have 8.76 and 8.77. The numbers above it are without the licences; what was added since the one before is
0.06 MB, so that the package had 9.17. Before all of these it was 11.0. \`scripts/package\` refuses more than 9.0. 1.2 MB are tables
for unwinding, 0.2 MB the WASM in two forms, 0.15 MB a table of ring.

Measured on two cores: \`npm install -g\` from a registry on the same machine takes 1.1 s, the first \`aide --version\` after it 0.1 s,
most of which is Node.js. The static program itself says its version in 2.0 ms, one that is linked with glibc in 4.0 ms. The
image for containers has 9.9 MB, for aarch64 10.1.

The page loads these files, in compressed bytes (the page with 2 items):

| file | bytes |
|---|--:|
${files}
| total | ${size.total} |
`;
writeDocument(report);
console.log(`\n${machine}\n\n${table}`);
