// What `aide mcp` costs: its start, a question, holding calls, doing nothing, and handing an answer on. Alone: `scripts/bench mcp`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { binary } from '../lib/aide.mjs';
import { questions } from '../lib/inputs.mjs';
import { memory } from './process.mjs';

/** How many calls are held at a time. */
export const HELD = 100;
/** For how many seconds it does nothing while its wake-ups are counted. */
export const QUIET = 10;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A project, and everything of its person, in one folder. */
class Place {
  #folder = mkdtempSync(join(tmpdir(), 'aide-bench-mcp-'));
  env = {
    PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#folder, XDG_STATE_HOME: join(this.#folder, 'state'),
    FINGER_HOME: join(this.#folder, 'daemon'), AIDE_NOTIFY: 'none', AIDE_MCP_HOLD: '3600',
  };

  constructor() {
    this.aide('init');
    this.aide('config', 'set', 'decide.port', '0');
  }

  get folder() {
    return this.#folder;
  }

  /** @param {string[]} args */
  aide(...args) {
    return spawnSync(binary, args, { cwd: this.#folder, env: this.env, encoding: 'utf8' });
  }

  /** Ends what is open, and with it the server of the page. */
  async remove() {
    const open = JSON.parse(this.aide('decide', 'list', '--json').stdout || '[]');
    for (const { session_id: session, completed_at: ended } of open) if (!ended) this.aide('decide', 'cancel', session);
    for (let left = 100; left > 0; left -= 1) {
      // It writes there until it has ended.
      if (!existsSync(join(this.#folder, '.aide/decisions/server.json'))) {
        try {
          return rmSync(this.#folder, { recursive: true, force: true });
        } catch (error) {
          if (left === 1) throw error;
        }
      }
      await sleep(100);
    }
  }
}

/** `aide mcp`, as a client runs it. */
class Client {
  #child;
  #next = 1;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #asked = new Map();
  /** @type {Map<number, (params: any) => void>} */
  #progress = new Map();
  /** How many bytes the last answer had. */
  bytes = 0;

  /** @param {Place} place */
  constructor(place) {
    this.#child = spawn(binary, ['mcp'], { cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'notifications/progress') return this.#progress.get(message.params.progressToken)?.(message.params);
      const asked = this.#asked.get(message.id);
      if (!asked) return;
      this.#asked.delete(message.id);
      this.bytes = Buffer.byteLength(line);
      if (message.error) asked.reject(new Error(JSON.stringify(message.error)));
      else asked.resolve(message.result);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** @param {string} method @param {any} params @param {(params: any) => void} [progress] @returns {Promise<any>} */
  call(method, params, progress) {
    const id = this.#next++;
    if (progress) {
      this.#progress.set(id, progress);
      params = { ...params, _meta: { ...params._meta, progressToken: id } };
    }
    const answer = new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async initialize() {
    await this.call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  discover() {
    return this.call('server/discover', { _meta: META });
  }

  /** Asks, and holds the call. Resolved with the link of the first progress. @param {any} input */
  async ask(input) {
    /** @type {Promise<any> | undefined} */
    let answer;
    const told = await new Promise((/** @type {(told: any) => void} */ resolve, reject) => {
      answer = this.call('tools/call', { name: 'decide_submit', arguments: { ...input, wait: true } }, resolve);
      answer.catch(reject);
      answer.then((result) => reject(new Error(`ended early: ${JSON.stringify(result).slice(0, 300)}`)));
    });
    const url = /https?:\/\/[^\s)]+/.exec(told.message)?.[0];
    if (!url || !answer) throw new Error(`no link in ${JSON.stringify(told)}`);
    answer.catch(() => {});
    return { url, answer };
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.stdin.end();
    await ended;
  }
}

/** @param {string} url @param {string} [method] @param {string} [body] @returns {Promise<void>} */
const fetched = (url, method = 'GET', body = '') => new Promise((resolve, reject) => {
  const headers = body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {};
  const asked = request(url, { agent: false, method, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`));
    response.resume().on('end', resolve);
  });
  asked.on('error', reject).end(body);
});

/**
 * Runs `aide hook wake` for an event of Claude Code. Resolved with its exit code.
 * @param {Place} place @param {any} event
 */
const hook = (place, event) => new Promise((resolve, reject) => {
  const child = spawn(binary, ['hook', 'wake'], { cwd: place.folder, env: place.env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', reject).on('close', resolve);
  child.stdin.end(JSON.stringify({
    session_id: 'bench', transcript_path: '/tmp/bench.jsonl', cwd: place.folder, permission_mode: 'default', ...event,
  }));
});

/** The context switches of all threads of a process: how often it has been woken up. @param {number | undefined} pid */
function wakeUps(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
  }, 0);
}

/** @typedef {(name: string, value: number) => void} Sample */

/** One round of what takes a moment. @param {Sample} sample */
export async function round(sample) {
  const place = new Place();
  try {
    for (const [name, first] of /** @type {const} */ ([['initialize', (/** @type {Client} */ c) => c.initialize()], ['discover', (/** @type {Client} */ c) => c.discover()]])) {
      const began = performance.now();
      const client = new Client(place);
      await first(client);
      sample(`mcp ${name}`, performance.now() - began);
      if (name === 'initialize') {
        await client.call('tools/list', {});
        sample('mcp tools', client.bytes / 1000);
        sample('mcp idle', memory(client.pid));
      }
      await client.close();
    }
    const client = new Client(place);
    await client.initialize();
    const input = questions(2);
    const began = performance.now();
    const { url, answer } = await client.ask(input);
    await fetched(url);
    sample('mcp asked', performance.now() - began);
    const decisions = input.items.map((/** @type {any} */ item) => ({ id: item.id, chosen: item.options[0].value, note: null }));
    const set = place.aide('decide', 'list', '--json');
    const session = JSON.parse(set.stdout)[0].session_id;
    const answered = performance.now();
    await fetched(new URL(`/d/${session}/api/submit`, url).href, 'POST', JSON.stringify({ decisions }));
    await answer;
    sample('mcp result', performance.now() - answered);
    await client.close();
    await wake(place, sample);
  } finally {
    await place.remove();
  }
}

/** What the hooks of an agent add. @param {Place} place @param {Sample} sample */
async function wake(place, sample) {
  const began = performance.now();
  await hook(place, { hook_event_name: 'Stop', stop_hook_active: false });
  sample('hook', performance.now() - began);
  const client = new Client(place);
  await client.initialize();
  const input = questions(2);
  input.task = `${input.task}, woken`;
  const told = await client.call('tools/call', { name: 'decide_submit', arguments: { ...input, wait: false } });
  const pending = told.structuredContent;
  const woken = hook(place, {
    hook_event_name: 'PostToolUse', tool_name: 'mcp__aide__decide_submit', tool_use_id: 'toolu_1',
    tool_input: { task: input.task }, tool_response: [{ type: 'text', text: JSON.stringify(pending) }],
  });
  // The hook is at rest by then, as it is when a person answers.
  await sleep(300);
  const decisions = input.items.map((/** @type {any} */ item) => ({ id: item.id, chosen: item.options[0].value, note: null }));
  const answered = performance.now();
  await fetched(new URL(`/d/${pending.session_id}/api/submit`, pending.url).href, 'POST', JSON.stringify({ decisions }));
  const code = await woken;
  sample('hook woken', performance.now() - answered);
  if (code !== 2) throw new Error(`aide hook wake ended with ${code}`);
  await client.close();
}

/** What takes long: many held calls, and doing nothing. @param {Sample} sample */
export async function slow(sample) {
  const place = new Place();
  try {
    const client = new Client(place);
    await client.initialize();
    await sleep(500);
    const before = wakeUps(client.pid);
    await sleep(QUIET * 1000);
    sample('mcp wake-ups', wakeUps(client.pid) - before);
    for (let count = 0; count < HELD; count += 1) {
      const input = questions(2);
      await client.ask({ ...input, task: `${input.task} ${count}` });
    }
    await sleep(1000);
    sample('mcp held', memory(client.pid));
    await client.close();
  } finally {
    await place.remove();
  }
}

/**
 * The rows of the table.
 * @param {(name: string) => { median: number, low: number, high: number }} measured
 */
export const rows = (measured) => [
  { what: '`aide mcp` started → first answer, `initialize`', limit: 10, unit: ' ms', digits: 1, ...measured('mcp initialize') },
  { what: '`aide mcp` started → first answer, `server/discover`', limit: 10, unit: ' ms', digits: 1, ...measured('mcp discover') },
  { what: '`decide_submit`, 2 items → progress with a link that answers', limit: 60, unit: ' ms', digits: 1, ...measured('mcp asked') },
  { what: '`aide mcp`: memory while idle', limit: 15, unit: ' MB', digits: 1, ...measured('mcp idle') },
  { what: `\`aide mcp\`: memory with ${HELD} held calls`, limit: 25, unit: ' MB', digits: 1, ...measured('mcp held') },
  { what: `\`aide mcp\`: wake-ups in ${QUIET} s without a call`, limit: 0, unit: '', digits: 0, ...measured('mcp wake-ups') },
  { what: 'answered → result of `decide_submit` sent', limit: 250, unit: ' ms', digits: 1, ...measured('mcp result') },
  { what: 'answered → idle session of Claude Code woken (`aide hook wake` has ended)', limit: 500, unit: ' ms', digits: 1, ...measured('hook woken') },
  { what: '`aide hook wake` at the end of a turn without a question', limit: 15, unit: ' ms', digits: 1, ...measured('hook') },
  { what: '`tools/list`', limit: 16, unit: ' kB', digits: 1, ...measured('mcp tools') },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.indexOf('--rounds');
  const rounds = asked > 0 ? Number(process.argv[asked + 1]) : 7;
  /** @type {Record<string, number[]>} */
  const samples = {};
  let counts = false;
  /** @type {Sample} */
  const sample = (name, value) => { if (counts) (samples[name] ??= []).push(value); };
  for (let index = 0; index <= rounds; index += 1) {
    counts = index > 0;
    await round(sample);
  }
  await slow(sample);
  for (const { what, limit, unit, digits, median, low, high } of rows((name) => {
    const sorted = [...(samples[name] ?? [])].sort((a, b) => a - b);
    return { median: sorted[sorted.length >> 1] ?? NaN, low: sorted[0] ?? NaN, high: sorted.at(-1) ?? NaN };
  })) {
    const verdict = Number(median.toFixed(digits)) <= limit ? '✓' : 'missed';
    console.log(`${what}: ${median.toFixed(digits)}${unit} (${low.toFixed(digits)} – ${high.toFixed(digits)}), limit ${limit}${unit} ${verdict}`);
  }
}
