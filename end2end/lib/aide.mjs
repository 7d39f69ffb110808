// Runs the real program, the way an agent runs it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { taskNow } from './inputs.mjs';

/** The program under test. */
export const binary = process.env['AIDE_BIN'] || fileURLToPath(new URL('../../target/release/aide', import.meta.url));

/** Nothing of the caller's leaks in; above all no HOME. */
const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };

/**
 * @typedef {{ code: number | null, stdout: string, stderr: string }} Ended
 * @typedef {{ dir?: string, port?: number | null, args?: string[], program?: string, env?: Record<string, string> }} Start
 */

/**
 * Runs a command to its end.
 * @param {string} dir
 * @param {string[]} args
 * @returns {Ended}
 */
export function run(dir, ...args) {
  const { status, stdout, stderr, error } = spawnSync(binary, args, { cwd: dir, env, encoding: 'utf8' });
  if (error) throw new Error(`${binary} cannot be run (scripts/test builds it): ${error.message}`);
  return { code: status, stdout, stderr };
}

/** A fresh project with the file that the example is about. */
export function project() {
  const dir = mkdtempSync(join(tmpdir(), 'aide-test-'));
  writeFileSync(join(dir, 'task-now.md'), taskNow);
  const { code, stderr } = run(dir, 'init');
  if (code !== 0) throw new Error(`aide init: exit code ${code}\n${stderr}`);
  return dir;
}

/**
 * A fresh project whose servers take any free port, also where no flag gives one: other programs may have all the default ports.
 * A flag or a variable would ask for a server of the caller's own, in place of the daemon.
 */
export function projectOnAnyPort() {
  const dir = project();
  const { code, stderr } = run(dir, 'config', 'set', 'decide.port', '0');
  if (code !== 0) throw new Error(`aide config set: exit code ${code}\n${stderr}`);
  return dir;
}

/** `aide decide submit` while it waits for an answer. */
export class Waiting {
  #child;
  #stdout = '';
  #stderr = '';
  #url = '';

  /**
   * @param {string} dir
   * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
   */
  constructor(dir, child) {
    /** The project it runs in. */
    this.dir = dir;
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text) => (this.#stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (this.#stderr += text));
    /** Settled when the process has ended and all it said was read. @type {Promise<Ended>} */
    this.done = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
  }

  /** The link, once it was printed. @returns {Promise<string>} */
  async ready() {
    const printed = new Promise((resolve) => {
      const look = () => {
        const link = /^→ 请访问: (\S+)$/m.exec(this.#stdout)?.[1];
        if (link && this.#stdout.includes('等待用户完成决策')) resolve(link);
      };
      this.#child.stdout.on('data', look);
      look();
    });
    this.#url = await Promise.race([
      printed,
      this.done.then((end) => {
        throw new Error(`aide ended with ${end.code} before it printed a link\n${end.stdout}${end.stderr}`);
      }),
    ]);
    return this.#url;
  }

  /** The link without a slash at its end. */
  get url() {
    return this.#url.replace(/\/$/, '');
  }

  get pid() {
    return this.#child.pid;
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @param {NodeJS.Signals} signal */
  async kill(signal = 'SIGKILL') {
    if (this.running) this.#child.kill(signal);
    return this.done;
  }

  /** What `aide decide result` says in this project. */
  result() {
    return run(this.dir, 'decide', 'result');
  }

  /** The pending questions on disk. */
  pending() {
    return JSON.parse(readFileSync(join(this.dir, '.aide/decisions/pending.json'), 'utf8'));
  }

  /** The records on disk, by name. @returns {Record<string, any>} */
  records() {
    const folder = join(this.dir, '.aide/decisions');
    const names = readdirSync(folder).filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.json$/.test(name));
    return Object.fromEntries(names.map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]));
  }
}

/**
 * Submits `input` and returns when the link was printed. Without a port, the running daemon serves.
 * @param {unknown} input
 * @param {Start} options
 */
export async function ask(input, { dir = project(), port = 0, args = [], program = binary, env: variables = env } = {}) {
  const own = port === null ? [] : ['--port', String(port)];
  const child = spawn(program, ['decide', 'submit', '-', ...own, ...args], { cwd: dir, env: variables });
  const waiting = new Waiting(dir, child);
  // A refused input ends the process before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(input));
  await waiting.ready();
  return waiting;
}

/** @param {string} dir */
export function remove(dir) {
  rmSync(dir, { recursive: true, force: true });
}
