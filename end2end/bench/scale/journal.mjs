// Transitions beside SQLite itself: the same promise (on the disk when it is acknowledged), two statements, nothing else.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, rate, together, withDaemon } from './place.mjs';

const TRANSITIONS = 2_000;
const CLIENTS = 32;
/** Measured so often, in turn; the median counts. */
const ROUNDS = 3;

/** An update and an insert, in groups that share a commit: how many pairs a second. */
const RAW = `
import sqlite3, sys, time
path, count, group = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(path, isolation_level=None)
db.execute('PRAGMA journal_mode = WAL')
db.execute('PRAGMA synchronous = FULL')
db.execute('CREATE TABLE workflow (id INTEGER PRIMARY KEY, state TEXT)')
db.execute('CREATE TABLE event (seq INTEGER PRIMARY KEY, payload TEXT)')
db.execute('INSERT INTO workflow VALUES (1, "execution")')
payload = 'x' * 300
began = time.perf_counter()
for first in range(0, count, group):
    db.execute('BEGIN IMMEDIATE')
    for _ in range(group):
        db.execute('UPDATE workflow SET state = ? WHERE id = 1', (payload,))
        db.execute('INSERT INTO event (payload) VALUES (?)', (payload,))
    db.execute('COMMIT')
print(count / (time.perf_counter() - began))
`;

/** @param {number} count @param {number} group */
function raw(count, group) {
  const folder = mkdtempSync(join(tmpdir(), 'aide-scale-raw-'));
  const { status, stdout, stderr } = spawnSync('python3', ['-c', RAW, join(folder, 'raw.db'), `${count}`, `${group}`], { encoding: 'utf8' });
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const count = Math.ceil(size(TRANSITIONS) / CLIENTS) * CLIENTS;
  return withDaemon(async (place) => {
    const workflows = await Promise.all(Array.from({ length: CLIENTS }, () => place.prepared()));
    const transitions = (/** @type {number} */ clients) => rate(count, () => together(count, clients, (number) => place.transition(workflows[number % clients] ?? '')));
    await transitions(CLIENTS);
    const empty = (/** @type {number} */ clients) => rate(count, () => together(count, clients, () => place.drain('/health')));
    /** @type {Record<'alone' | 'aloneRaw' | 'aloneEmpty' | 'many' | 'manyRaw' | 'manyEmpty' | 'bytes', number[]>} */
    const seen = { alone: [], aloneRaw: [], aloneEmpty: [], many: [], manyRaw: [], manyEmpty: [], bytes: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      seen.aloneRaw.push(raw(count, 1));
      seen.aloneEmpty.push(await empty(1));
      const before = place.written;
      seen.alone.push(await transitions(1));
      seen.bytes.push((place.written - before) / count / 1000);
      seen.manyRaw.push(raw(count, CLIENTS));
      seen.manyEmpty.push(await empty(CLIENTS));
      seen.many.push(await transitions(CLIENTS));
    }
    const [one, oneRaw, oneEmpty] = [median(seen.alone), median(seen.aloneRaw), median(seen.aloneEmpty)];
    const [all, allRaw, allEmpty] = [median(seen.many), median(seen.manyRaw), median(seen.manyEmpty)];
    const kilobytes = median(seen.bytes);
    // What is left if a transition costs nothing of its own: a request that does nothing, then a commit.
    const least = 1000 / oneEmpty + 1000 / oneRaw;
    return [
      { what: `transitions a second over HTTP, 1 client (${one.toFixed(0)}), against SQLite alone (${oneRaw.toFixed(0)})`, wanted: '≥ 0.5', measured: (one / oneRaw).toFixed(2), met: one / oneRaw >= 0.5 },
      { what: `the same, ${CLIENTS} clients (${all.toFixed(0)}), against SQLite in groups of ${CLIENTS} (${allRaw.toFixed(0)})`, wanted: '≥ 0.15', measured: (all / allRaw).toFixed(3), met: all / allRaw >= 0.15 },
      { what: `a transition, 1 client (${(1000 / one).toFixed(2)} ms), against a request that does nothing and a commit of SQLite (${least.toFixed(2)} ms)`, wanted: '', measured: `${(1000 / one / least).toFixed(1)} ×` },
      { what: `requests that do nothing a second, ${CLIENTS} clients (${allEmpty.toFixed(0)}), against SQLite in groups of ${CLIENTS}`, wanted: '', measured: (allEmpty / allRaw).toFixed(2) },
      { what: 'given to the disk for a transition, 1 client', wanted: '≤ 20 kB', measured: `${kilobytes.toFixed(1)} kB`, met: kilobytes <= 20 },
    ];
  });
}
