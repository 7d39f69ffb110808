// A daemon under load for hours: its memory and its latency must stay flat.
//
// usage: node bench/soak.mjs [--minutes N] [--share S]
//        --minutes N  how long (120); below 120, nothing is written
//        --share S    the load, as a share of what the daemon does at most (0.5)
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './daemon.mjs';
import { writeSection } from './document.mjs';
import { memory } from './process.mjs';
import { median, time, together, withDaemon } from './scale/place.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '120' }, share: { type: 'string', default: '0.5' } } });
const [minutes, share] = [Number(values.minutes), Number(values.share)];
if (!(minutes > 0) || !(share > 0 && share <= 1)) {
  console.error('soak: --minutes needs a number above 0, and --share one above 0 and at most 1');
  process.exit(2);
}

const WINDOWS = 24;
const LISTENERS = 20;
/** Clients, and units of work, that find out what the daemon does at most. */
const [CLIENTS, TRIED] = [8, 400];
/** How many transitions a unit of work has besides those that make a plan. */
const TRANSITIONS = 5;

/** How many units of work may be under way. */
const MOST = 100;

/** What was measured in a window. */
class Window {
  /** @type {number[]} */
  transitions = [];
  /** @type {number[]} */
  answers = [];
}

/** A workflow from its beginning to its end, a question that is answered, and a page of a list.
 * @param {import('./scale/place.mjs').Place} place @param {Window} window */
async function work(place, window) {
  const workflow = await place.prepared();
  for (let number = 0; number < TRANSITIONS; number += 1) window.transitions.push(await time(() => place.transition(workflow)));
  const { decisionId } = await place.api('decision', { message: 'Which?', options: ['a', 'b'] });
  const waiter = place.api(`decision/${decisionId}?wait=60`);
  window.answers.push(await time(() => Promise.all([waiter, place.api(`decision/${decisionId}/respond`, { response: 'a' })])));
  await place.api('workflow/cancel', { workflowId: workflow });
  await place.api('workflows?limit=50');
}

/** The value that 99 of 100 do not exceed. @param {number[]} values */
const worst = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;

await withDaemon(async (place) => {
  const tried = await time(() => together(TRIED, CLIENTS, () => work(place, new Window())));
  const interval = tried / TRIED / share;
  console.error(`soak: a unit of work every ${interval.toFixed(1)} ms, ${minutes} minutes`);
  const listeners = [];
  for (let number = 0; number < LISTENERS; number += 1) listeners.push(await listen(place.webSocketPort));

  const head = '| minute | units | memory | transition, median | 99 % | answer → waiter, median | 99 % | processor | journal |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|';
  console.log(head);
  const [lines, seen] = [[head], /** @type {{ memory: number, transition: number, answer: number }[]} */ ([])];
  const length = (minutes * 60_000) / WINDOWS;
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  let due = performance.now();
  for (let number = 1; number <= WINDOWS; number += 1) {
    const [window, end, processor] = [new Window(), due + length, place.processorTime];
    while (due < end) {
      const unit = work(place, window).finally(() => running.delete(unit));
      running.add(unit);
      due += interval;
      // What is late is begun at once, so that the load stays the same; but no pile grows that no client would make.
      await sleep(Math.max(0, due - performance.now()));
      while (running.size >= MOST) await Promise.race(running);
    }
    const { load } = await (await fetch(`${place.url}/health`)).json();
    const now = { memory: memory(place.pid), transition: median(window.transitions), answer: median(window.answers) };
    seen.push(now);
    const line = [
      Math.round((number * minutes) / WINDOWS), window.answers.length, `${now.memory.toFixed(1)} MB`, `${now.transition.toFixed(1)} ms`, `${worst(window.transitions).toFixed(1)} ms`,
      `${now.answer.toFixed(1)} ms`, `${worst(window.answers).toFixed(1)} ms`, `${((place.processorTime - processor) / length * 100).toFixed(0)} %`, `${(load.journal.fileBytes / 1e6).toFixed(0)} MB`,
    ].join(' | ');
    console.log(`| ${line} |`);
    lines.push(`| ${line} |`);
  }
  await Promise.all(running);
  for (const listener of listeners) listener.end();

  const quarter = WINDOWS / 4;
  const grown = (/** @type {'memory' | 'transition' | 'answer'} */ what) => {
    const of = (/** @type {typeof seen} */ windows) => median(windows.map((window) => window[what]));
    return (of(seen.slice(-quarter)) / of(seen.slice(quarter, 2 * quarter))).toFixed(2);
  };
  const flat = `The last quarter against the second: memory ${grown('memory')} ×, transition ${grown('transition')} ×, answer ${grown('answer')} ×.`;
  console.log(flat);
  if (minutes >= 120) {
    writeSection('Over hours', `Written by \`node end2end/bench/soak.mjs\`, run of ${new Date().toISOString().slice(0, 10)} on ${cpus().length} cores:
${minutes} minutes at ${share} of what the daemon does at most, with ${LISTENERS} WebSocket clients. A unit is a workflow of ${TRANSITIONS + 5} changes, a question
with its answer, and a page of a list.

${flat}

${lines.join('\n')}`);
  }
});
