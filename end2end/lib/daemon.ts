// A daemon of a test's own, and what is asked of it.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, binary, project, projectOnAnyPort, remove, type Start, type Waiting } from './aide.mjs';
import type { Input } from './inputs.mjs';
import { test as base } from './test.ts';

/** What `daemon.json` says of it. */
interface Told {
  pid: number;
  http_port: number;
  ws_port: number;
  url: string;
}

const example = (name: string) => fileURLToPath(new URL(`../../examples/orchestrate/${name}`, import.meta.url));

/** What makes a daemon drive workflows by itself: a provider, and a search. */
const agents = (provider: string) => `[daemon]
provider = "example"

[daemon.tools]
search_command = ["/bin/sh", "${example('search.sh')}"]

[[agent.providers]]
name = "example"
kind = "command"
command = "/bin/sh"
args = ["${provider}"]
`;

/** `aide orchestrate --watch`, and what it has printed. */
export class Watching {
  readonly #child: ChildProcessWithoutNullStreams;
  #printed = '';
  readonly ended: Promise<number | null>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    // stderr shows what a decision is about. The order of writes to two pipes is unknown.
    child.stderr.resume();
    this.ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  }

  get printed() {
    return this.#printed;
  }

  /** Types a line. */
  type(line: string) {
    this.#child.stdin.write(`${line}\n`);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }
}

export class Daemon {
  readonly #home = mkdtempSync(join(tmpdir(), 'aide-daemon-'));
  readonly #asking: Waiting[] = [];
  readonly #watching: Watching[] = [];
  readonly #projects: string[] = [];

  readonly #flags: string[];

  /** `provider`: a script that answers for its agents. Without one, clients drive the workflows. */
  constructor(provider?: string, flags: string[] = []) {
    this.#flags = flags;
    if (provider) {
      mkdirSync(join(this.#home, '.config/aide'), { recursive: true });
      const held = join(this.#home, 'provider.sh');
      writeFileSync(held, `while [ -e "$HOME/hold" ]; do touch "$HOME/held"; sleep 0.05; done\nexec /bin/sh '${provider}'\n`);
      writeFileSync(join(this.#home, '.config/aide/config.toml'), agents(held));
    }
    this.start();
  }

  /** One whose agents are those of the example, which need no model. */
  static withAgents() {
    return new Daemon(example('provider.sh'));
  }

  /** Keeps the model from answering until it is let go. */
  hold() {
    writeFileSync(join(this.#home, 'hold'), '');
  }

  /** Whether it was asked something that it holds. */
  get isHeld() {
    return existsSync(join(this.#home, 'held'));
  }

  letGo() {
    rmSync(join(this.#home, 'hold'));
  }

  get #env() {
    const state = join(this.#home, 'state');
    return { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home, FINGER_HOME: state };
  }

  get #told(): Told {
    return JSON.parse(readFileSync(join(this.#home, 'state/daemon.json'), 'utf8')) as Told;
  }

  /** Starts it, where it was before if those ports are given. */
  start(ports: { http: number; ws: number } = { http: 0, ws: 0 }) {
    this.aide(this.#home, 'daemon', 'start', '--http-port', String(ports.http), '--ws-port', String(ports.ws), ...this.#flags);
  }

  /** The link to its inbox. */
  get url() {
    return this.#told.url;
  }

  get ports() {
    return { http: this.#told.http_port, ws: this.#told.ws_port };
  }

  kill() {
    process.kill(this.#told.pid, 'SIGKILL');
  }

  /** A fresh project for its workflows. It is removed after the daemon, which writes there until it has ended. */
  project() {
    const dir = project();
    this.#projects.push(dir);
    return dir;
  }

  /** Runs a command of the person's, which must succeed; what it prints. */
  aide(cwd: string, ...args: string[]) {
    const { status, stdout, stderr } = spawnSync(binary, args, { cwd, env: this.#env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Asks in a project, by way of the daemon; without it on any free port. */
  async ask(input: Input, options: Start = {}) {
    const waiting = await ask(input, { dir: projectOnAnyPort(), port: null, env: this.#env, ...options });
    this.#asking.push(waiting);
    return waiting;
  }

  /** Begins a workflow in a project, and has it ask; the names of both. */
  decide(dir: string, task: string, message: string, options: string[]) {
    const workflow = /^Workflow started: (\S+)$/m.exec(this.aide(dir, 'orchestrate', task))?.[1] ?? '';
    const words = options.flatMap((option) => ['--option', option]);
    const asked = this.aide(dir, 'workflow', 'decision', 'create', message, '--workflow', workflow, ...words);
    return { workflow, decision: /^Decision created: (\S+)$/m.exec(asked)?.[1] ?? '' };
  }

  /** Begins a workflow in a project, watched in a terminal that is none: each line that is typed answers a decision. */
  watch(dir: string, task: string) {
    const child = spawn(binary, ['orchestrate', task, '--watch'], { cwd: dir, env: this.#env });
    // A process that has ended reads no more.
    child.stdin.on('error', () => {});
    const watching = new Watching(child);
    this.#watching.push(watching);
    return watching;
  }

  /** How a decision stands. */
  async decision(id: string) {
    const response = await fetch(`${this.url}/api/v1/decision/${id}`);
    return (await response.json()) as { setId: string; status: string; response?: string; note?: string; selected?: string[] };
  }

  /** Tells it something as a program that drives it; what it answers. */
  async post(path: string, body: unknown) {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${new URL(this.url).origin}/api/v1/${path}`, request);
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Lets something happen to a workflow. */
  async step(workflow: string, trigger: string, context: object = {}) {
    await this.post(`workflow/${workflow}/transition`, { trigger, context });
  }

  /** Begins a workflow. */
  async begin(content: string) {
    const begun = await this.post('message', { target: 'finger-orchestrator', message: { content } });
    return begun['workflowId'] ?? '';
  }

  /** Has a workflow that was just begun executed by this plan. */
  async plan(workflow: string, tasks: object[]) {
    await this.step(workflow, 'intent_analyzed');
    await this.step(workflow, 'routing_decided', { route: 'full_replan' });
    await this.step(workflow, 'plan_created', { tasks });
  }

  /** Has a workflow ask; the name of its question. */
  async question(workflow: string, message: string, options: string[] = [], more: object = {}) {
    const asked = await this.post('decision', { workflowId: workflow, message, options, ...more });
    return asked['decisionId'] ?? '';
  }

  async remove() {
    await this.#end();
    for (const watching of this.#watching) watching.kill();
    for (const waiting of this.#asking) {
      await waiting.kill();
      remove(waiting.dir);
    }
    for (const folder of [...this.#projects, this.#home]) remove(folder);
  }

  /** Kills it, and waits until it has ended: until then it may write. */
  async #end() {
    let pid;
    try {
      ({ pid } = this.#told);
      process.kill(pid, 'SIGKILL');
    } catch {
      return; // It is gone already.
    }
    while (runs(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process runs. One that has ended is still listed, as a zombie, until its parent has asked for its exit code. */
function runs(pid: number) {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export const test = base.extend<{ daemon: Daemon; withAgents: Daemon }>({
  daemon: async ({ guard, folders: _ }, use) => {
    const daemon = new Daemon();
    guard.origins.add(daemon.url);
    await use(daemon);
    guard.end();
    await daemon.remove();
  },

  /** A daemon that drives workflows by itself. */
  withAgents: async ({ guard, folders: _ }, use) => {
    const daemon = Daemon.withAgents();
    guard.origins.add(daemon.url);
    await use(daemon);
    guard.end();
    await daemon.remove();
  },
});
