// The plan of the repository's example, carried out by the program beside a server that shows it.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, type Ended } from './aide.mjs';
import { test as base } from './test.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/plan', import.meta.url));

/** A program that was started, until it has ended. */
class Running {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Ended>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.done = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
  }

  /** The first match of `pattern` in what it prints. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const match = pattern.exec(this.#stdout);
        if (match) resolve(match);
      };
      this.#child.stdout.on('data', look);
      look();
    });
    const ended = this.done.then((end) => {
      throw new Error(`aide ended with ${end.code} before it printed ${pattern}\n${end.stdout}${end.stderr}`);
    });
    return Promise.race([found, ended]);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL') {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.done;
  }
}

/** A copy of the example, trusted and active. */
export class Plan {
  /** The project. */
  readonly dir = mkdtempSync(join(tmpdir(), 'aide-plan-'));
  readonly #home = mkdtempSync(join(tmpdir(), 'aide-home-'));
  readonly #started: Running[] = [];

  constructor() {
    cpSync(EXAMPLE, this.dir, { recursive: true });
    this.aide('trust');
    this.aide('plan', 'activate', 'plan');
  }

  get #options() {
    return { cwd: this.dir, env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home } };
  }

  /** Runs a command that must succeed. */
  aide(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(binary, args, { ...this.#options, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  #start(...args: string[]) {
    const running = new Running(spawn(binary, args, this.#options));
    this.#started.push(running);
    return running;
  }

  /** `aide plan run`. */
  run() {
    return this.#start('plan', 'run');
  }

  /** `aide plan serve`, once it has printed its link. */
  async serve(port = 0) {
    const running = this.#start('plan', 'serve', '--port', String(port));
    const [, url = ''] = await running.printed(/^→ 请访问: (\S+)\/plans$/m);
    return { running, url };
  }

  /** What came of it. */
  handbook() {
    return readFileSync(join(this.dir, '.aide/system_runtime/artifacts/plan_handbook/task_handbook/handbook.md'), 'utf8');
  }

  async remove() {
    for (const running of this.#started) await running.kill();
    for (const folder of [this.dir, this.#home]) rmSync(folder, { recursive: true, force: true });
  }
}

/** A test of pages that belong to a plan. */
export const test = base.extend<{ plan: Plan }>({
  plan: async ({ guard }, use) => {
    const plan = new Plan();
    await use(plan);
    guard.end();
    await plan.remove();
  },
});
