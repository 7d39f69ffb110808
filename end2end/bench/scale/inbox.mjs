// The inbox with many open sets of questions.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary } from '../../lib/aide.mjs';
import { questions } from '../../lib/inputs.mjs';
import { median, Place, time } from './place.mjs';

const [FEW, MANY] = [100, 10_000];
const ROUNDS = 15;

/** The id of a session, so many seconds after a first one. @param {number} number */
export const session = (number) => new Date(Date.UTC(2025, 0, 15, 10, 30) + number * 1000).toISOString().slice(0, 19).replaceAll(':', '-');

/** A daemon with a project of so many open sets. @param {number} count */
function opened(count) {
  const place = new Place();
  const project = join(place.home, 'project');
  mkdirSync(project);
  const aide = (/** @type {string[]} */ ...args) => {
    const { status, stderr } = spawnSync(binary, args, { env: place.env, cwd: project, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stderr}`);
  };
  aide('init');
  place.start();
  // The second of two differs, so that it stands beside the first, in the folder of open sets. The others are made from it.
  for (const items of [2, 3]) aide('decide', 'submit', '--queue', '--detach', JSON.stringify(questions(items)));
  const folder = join(project, '.aide/decisions/open');
  const [name = ''] = readdirSync(folder);
  const set = readFileSync(join(folder, name), 'utf8');
  for (let number = 0; number < count - 2; number += 1) {
    const id = session(number);
    writeFileSync(join(folder, `${id}.json`), set.replaceAll(name.replace('.json', ''), id));
  }
  return place;
}

/** @param {number} count */
async function measured(count) {
  const place = opened(count);
  try {
    const of = async (/** @type {string} */ path) => {
      await place.drain(path);
      const times = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await time(() => place.drain(path)));
      return median(times);
    };
    return { page: await of('/?lang=en'), search: await of('/?lang=en&search=nothing-has-this') };
  } finally {
    place.remove();
  }
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const [few, many] = [await measured(size(FEW)), await measured(size(MANY))];
  const row = (/** @type {string} */ what, /** @type {number} */ more, /** @type {number} */ less) => ({
    what: `inbox, ${what}: ${size(MANY).toLocaleString('en')} open sets (${more.toFixed(1)} ms), against ${size(FEW)} (${less.toFixed(1)} ms)`,
    wanted: '≤ 2 ×', measured: `${(more / less).toFixed(2)} ×`, met: more / less <= 2,
  });
  return [row('first page', many.page, few.page), row('search without a hit', many.search, few.search)];
}
