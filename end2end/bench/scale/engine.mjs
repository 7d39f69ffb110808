// The engine with few and with many workflows: agents that answer at once, and one that never answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { processorTimeOfAll } from '../process.mjs';
import { Crew } from '../workflow.mjs';

const COUNTS = [20, 100, 400];
const WAITING = 1_000;
/** Watched for so many seconds. */
const WATCHED = 10;

/** @param {number} count How many workflows at a time. */
async function calls(count) {
  const crew = new Crew();
  await crew.start();
  try {
    await crew.together(5);
    const [asked, before, flushed] = [crew.asked, processorTimeOfAll(crew.pid), await crew.flushes()];
    const seconds = await crew.together(count);
    const made = crew.asked - asked;
    return { rate: made / seconds, milliseconds: (processorTimeOfAll(crew.pid) - before) / made, flushes: (await crew.flushes() - flushed) / made };
  } finally {
    crew.stop();
  }
}

/** @param {number} count How many workflows wait. */
async function waiting(count) {
  const crew = new Crew();
  await crew.start();
  try {
    crew.isSlow = true;
    for (let begun = 0; begun < count; begun += 50) await crew.begun(Math.min(50, count - begun));
    await sleep(5_000);
    const before = processorTimeOfAll(crew.pid);
    await sleep(WATCHED * 1_000);
    return (processorTimeOfAll(crew.pid) - before) / (WATCHED * 10);
  } finally {
    crew.stop();
  }
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const measured = [];
  for (const count of COUNTS.map(size)) measured.push({ count, ...await calls(count) });
  const [few, many] = [measured[0], measured.at(-1)];
  const growth = (many?.milliseconds ?? NaN) / (few?.milliseconds ?? NaN);
  const least = Math.min(...measured.map(({ rate }) => rate));
  const counts = measured.map(({ count }) => count).join(' / ');
  // One workflow alone shares its flushes with no other.
  const { flushes } = await calls(1);
  const percent = await waiting(size(WAITING));
  return [
    { what: `engine, agents that answer at once: calls of a model a second, ${counts} workflows`, wanted: '≥ 200 each', measured: measured.map(({ rate }) => rate.toFixed(0)).join(' / '), met: least >= 200 },
    { what: `processor time of such a call, ${counts} workflows (${measured.map(({ milliseconds }) => milliseconds.toFixed(1)).join(' / ')} ms): most against fewest`, wanted: '≤ 1.2 ×', measured: `${growth.toFixed(2)} ×`, met: growth <= 1.2 },
    { what: 'flushes of the journal for such a call, 1 workflow', wanted: '≤ 2', measured: flushes.toFixed(2), met: flushes <= 2 },
    { what: `processor time while ${size(WAITING).toLocaleString('en')} workflows wait for a model that does not answer`, wanted: '< 1 %', measured: `${percent.toFixed(2)} %`, met: percent < 1 },
  ];
}
