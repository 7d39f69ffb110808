// What waits for a person must not cost: neither the answer of another, nor the time in which nothing happens.
import { load, median, rate, time, together, withDaemon } from './place.mjs';

const WAITERS = 1_000;
const OPEN = 10_000;
const ANSWERS = 20;
const CREATED = 1_000;
/** Watched for so many seconds. */
const WATCHED = 10;

/** @param {import('./place.mjs').Place} place @param {string} message @returns {Promise<string>} */
async function ask(place, message) {
  return (await place.api('decision', { message, options: ['a', 'b'] })).decisionId;
}

/** From the answer to the end of the request that waits for it, in milliseconds. @param {import('./place.mjs').Place} place @param {number} count */
async function answered(place, count) {
  const times = [];
  for (let number = 0; number < count; number += 1) {
    const decision = await ask(place, `answer ${number}`);
    const waiter = place.api(`decision/${decision}?wait=60`);
    await new Promise((resolve) => { setTimeout(resolve, 30); });
    times.push(await time(() => Promise.all([waiter, place.api(`decision/${decision}/respond`, { response: 'a' })])));
  }
  return median(times);
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const waiters = size(WAITERS);
  const others = await withDaemon(async (place) => {
    const alone = await answered(place, ANSWERS);
    const decisions = await Promise.all(Array.from({ length: waiters }, (_, number) => ask(place, `waits ${number}`)));
    const waits = decisions.map((decision) => place.api(`decision/${decision}?wait=600`).catch(() => {}));
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
    const beside = await answered(place, ANSWERS);
    await together(decisions.length, 32, (number) => place.api(`decision/${decisions[number]}/respond`, { response: 'a' }));
    await Promise.all(waits);
    return { alone, beside };
  });
  const open = size(OPEN);
  const idle = await withDaemon(async (place) => {
    const created = size(CREATED);
    const workflows = await rate(created, () => together(created, 8, (number) => place.begin(`workflow ${number}`)));
    await together(created, 32, (number) => ask(place, `open ${number}`));
    const asked = await rate(created, () => together(created, 8, (number) => ask(place, `beside ${number}`)));
    await together(Math.max(0, open - 2 * created), 32, (number) => ask(place, `more ${number}`));
    await load(place, 2);
    return { workflows, asked, percent: await load(place, WATCHED) };
  });
  return [
    { what: `answer → its waiter goes on, beside ${waiters.toLocaleString('en')} other waiters (${others.beside.toFixed(1)} ms), against alone (${others.alone.toFixed(1)} ms)`, wanted: '≤ 1.5 ×', measured: `${(others.beside / others.alone).toFixed(2)} ×`, met: others.beside / others.alone <= 1.5 },
    { what: `decisions created a second beside ${size(CREATED).toLocaleString('en')} open ones (${idle.asked.toFixed(0)}), against workflows (${idle.workflows.toFixed(0)}); 8 clients`, wanted: '≥ 0.8 ×', measured: `${(idle.asked / idle.workflows).toFixed(2)} ×`, met: idle.asked / idle.workflows >= 0.8 },
    { what: `processor time while ${open.toLocaleString('en')} decisions are open and nothing happens`, wanted: '< 1 %', measured: `${idle.percent.toFixed(2)} %`, met: idle.percent < 1 },
  ];
}
