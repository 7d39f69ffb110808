// What grows with that which waits, is open or is kept: each cost at a large number beside the same at a small one, or beside a
// program of others. Prints the table and writes it into docs/BENCHMARKS.md.
//
// usage: node bench/scale.mjs [--divide N] [PART…]
//        --divide N  numbers divided by N, to try the measurement; writes nothing
//        PART        only these: engine, journal, lists, waiting, inbox, start, files, sockets, restate; writes nothing
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { writeSection } from './document.mjs';
import * as engine from './scale/engine.mjs';
import * as files from './scale/files.mjs';
import * as inbox from './scale/inbox.mjs';
import * as journal from './scale/journal.mjs';
import * as lists from './scale/lists.mjs';
import * as restate from './scale/restate.mjs';
import * as sockets from './scale/sockets.mjs';
import * as start from './scale/start.mjs';
import * as waiting from './scale/waiting.mjs';

// Found by `perf` and by the pages in the log of changes, in 2026-11: to be found again where the code that it is about changes.
const PROFILES = `What is left where a row is missed:

- **Transitions.** A request that does nothing takes longer than a commit of SQLite in its own process, and 32 clients make fewer of
  them a second than the row asks for in transitions. Of the 0.6 ms of processor time of a transition, 44 % is the kernel (writing,
  flushing, 13 switches of threads), 39 % the program, most of it SQLite, and 16 % allocation. It writes about 12
  pages of 1 KiB into the log, which the disk gets in blocks of 4 KiB, and again when they are moved into the file.
- **The engine beside Restate.** A step of Restate returns a number. A call here asks a model over HTTP, keeps the prompt and the answer,
  and goes through three changes: given to an agent, asked, answered and done; each with its events, the last with a checkpoint. Half of
  the processor time of a call is the thread that decides what is next.
- **Flushes.** Three changes a call; tasks that run at the same time share flushes: about 2 for a call of one workflow alone, 1.6 for
  one of 60 workflows.
- **Search.** 47 % of the processor time of a search without a hit is the state of each record's file, 12 % the names of the folder, 5 %
  forming names; the rest is sorting, the kept texts and copying. The state is asked for on all processors: 2 µs for each of 100,000 are
  100 ms on two. It cannot be left out: an editor that writes a record in place changes neither its name nor the folder.`;

/** @typedef {{ what: string, wanted: string, measured: string, met?: boolean }} Row */
/** @typedef {(size: (count: number) => number) => Promise<Row[]>} Part Gets what makes a number smaller where it is only tried. */

/** @type {Record<string, Part>} */
const parts = {
  engine: engine.rows, journal: journal.rows, restate: restate.rows, lists: lists.rows, waiting: waiting.rows, inbox: inbox.rows,
  start: start.rows, files: files.rows, sockets: sockets.rows,
};
const { values, positionals } = parseArgs({ options: { divide: { type: 'string', default: '1' } }, allowPositionals: true });
const divisor = Number(values.divide);
const unknown = positionals.find((name) => !(name in parts));
if (unknown !== undefined || !(divisor >= 1)) {
  console.error(`scale: ${unknown === undefined ? '--divide needs a number from 1' : `there is no part ${unknown} (${Object.keys(parts).join(', ')})`}`);
  process.exit(2);
}
const size = (/** @type {number} */ count) => Math.max(1, Math.round(count / divisor));

const lines = ['| what | wanted | measured | |', '|---|--:|--:|---|'];
console.log(lines.join('\n'));
/** @type {string[]} */
const failed = [];
for (const [name, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const began = performance.now();
  try {
    for (const { what, wanted, measured, met } of await part(size)) {
      const line = `| ${what} | ${wanted} | ${measured} | ${met === undefined ? '' : met ? '✓' : 'missed'} |`;
      console.log(line);
      lines.push(line);
    }
  } catch (error) {
    // The other parts are measured all the same: each takes minutes.
    console.error(`scale: ${name} failed:`, error);
    failed.push(name);
  }
  console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
if (failed.length > 0) process.exit(1);
if (divisor === 1 && positionals.length === 0) {
  const today = new Date().toISOString().slice(0, 10);
  writeSection('With much of everything', `Written by \`scripts/bench --scale\`, run of ${today} on ${cpus().length} cores. Each number is beside one
of the same run: the same at a small number, SQLite itself, or another engine.

${lines.join('\n')}

${PROFILES}`);
}
