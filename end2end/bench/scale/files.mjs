// Commands on files that grow: the history of a task, the records of a project, the inbox of an agent.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary } from '../../lib/aide.mjs';
import { questions } from '../../lib/inputs.mjs';
import { Plan } from '../agents.mjs';
import * as flow from '../flow.mjs';
import { session } from './inbox.mjs';
import { median, Place, time } from './place.mjs';

const [FEW_ENTRIES, MANY_ENTRIES] = [100, 100_000];
const RECORDS = 100_000;
const [FEW_COMMANDS, MANY_COMMANDS] = [100, 10_000];
const ROUNDS = 9;

/** What the format itself costs: a state of so many entries, parsed, serialised and put on the disk once. */
const FORMAT = `
import json, os, sys, time
path = sys.argv[1]
began = time.perf_counter()
state = json.load(open(path))
state['history'].append(state['history'][-1])
with open(path + '.new', 'w') as file:
    json.dump(state, file, indent=2, ensure_ascii=False)
    file.flush()
    os.fsync(file.fileno())
os.rename(path + '.new', path)
print((time.perf_counter() - began) * 1000)
`;

/** @param {(number: number) => number} size */
function flowRows(size) {
  const [few, many] = [size(FEW_ENTRIES), size(MANY_ENTRIES)];
  const [short, long] = [flow.long(few), flow.long(many)];
  try {
    /** @type {[number[], number[], number[]]} */
    const [less, more, format] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      less.push(flow.action(short));
      more.push(flow.action(long));
      const copy = join(long, '.git/format.json');
      writeFileSync(copy, readFileSync(join(long, '.aide/flow-status.json')));
      format.push(Number(spawnSync('python3', ['-c', FORMAT, copy], { encoding: 'utf8' }).stdout));
    }
    const [one, other, floor] = [median(less), median(more), median(format)];
    return [
      { what: `\`aide flow next-step\`, ${many.toLocaleString('en')} entries (${other.toFixed(0)} ms), against ${few} (${one.toFixed(0)} ms)`, wanted: '≤ 1.5 ×, or as below', measured: `${(other / one).toFixed(2)} ×` },
      { what: `what it takes more, against a program that parses, serialises and writes the file once (Python, ${floor.toFixed(0)} ms)`, wanted: '≤ 1.2 ×', measured: `${((other - one) / floor).toFixed(2)} ×`, met: (other - one) / floor <= 1.2 || other / one <= 1.5 },
    ];
  } finally {
    flow.remove(short);
    flow.remove(long);
  }
}

/** @param {(number: number) => number} size */
async function recordRows(size) {
  const count = size(RECORDS);
  const place = new Place();
  const project = join(place.home, 'project');
  mkdirSync(project);
  const aide = (/** @type {string[]} */ ...args) => {
    const { status, stdout, stderr } = spawnSync(binary, args, { env: place.env, cwd: project, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stderr}`);
    return stdout;
  };
  try {
    aide('init');
    place.start();
    aide('decide', 'submit', '--detach', JSON.stringify(questions(2)));
    const [{ session_id: first }] = JSON.parse(aide('decide', 'list', '--json'));
    aide('decide', 'cancel', first);
    const folder = join(project, '.aide/decisions');
    const record = readFileSync(join(folder, `${first}.json`), 'utf8');
    for (let number = 0; number < count; number += 1) {
      const id = session(number);
      writeFileSync(join(folder, `${id}.json`), record.replaceAll(first, id));
    }
    const address = `/p/${await projectOf(place)}/history?lang=en&q=nothing-has-this`;
    /** @type {[number[], number[]]} */
    const [listed, found] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      listed.push(await time(() => aide('decide', 'list', '--page', '1')));
      found.push(await time(() => place.drain(address)));
    }
    const [page, search] = [median(listed), median(found)];
    return [
      { what: `\`aide decide list\` of ${count.toLocaleString('en')} records, first page`, wanted: '100 ms', measured: `${page.toFixed(0)} ms`, met: page <= 100 },
      { what: `search of ${count.toLocaleString('en')} records without a hit`, wanted: '100 ms', measured: `${search.toFixed(0)} ms`, met: search <= 100 },
    ];
  } finally {
    place.remove();
  }
}

/** The name by which the pages of a daemon call its only project. @param {Place} place */
async function projectOf(place) {
  const page = await (await fetch(`${place.url}/?lang=en`)).text();
  const name = /\/p\/([^/"?]+)/.exec(page)?.[1];
  if (name === undefined) throw new Error('the inbox names no project');
  return name;
}

/** @param {(number: number) => number} size */
function agentRows(size) {
  const [few, many] = [size(FEW_COMMANDS), size(MANY_COMMANDS)];
  const each = (/** @type {number} */ count) => {
    const plan = new Plan();
    try {
      for (let number = 0; number < count; number += 1) plan.send();
      const time = plan.runOnce();
      return time / plan.executed;
    } finally {
      plan.remove();
    }
  };
  const [less, more] = [each(few), each(many)];
  return [{ what: `\`aide agent run --once\`, a command of ${many.toLocaleString('en')} in the inbox (${more.toFixed(1)} ms), against one of ${few} (${less.toFixed(1)} ms)`, wanted: 'as at 100', measured: `${(more / less).toFixed(2)} ×`, met: more / less <= 1.2 }];
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  return [...flowRows(size), ...await recordRows(size), ...agentRows(size)];
}
