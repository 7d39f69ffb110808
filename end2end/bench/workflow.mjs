// What a workflow that a daemon drives costs besides its agents: they answer at once here, from this process.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from '../lib/aide.mjs';
import { memory, peakMemory } from './process.mjs';

/** So many workflows run at a time, each of so many tasks. */
export const [WORKFLOWS, TASKS] = [100, 10];
/** How many files each agent reads for its task, before it has done it. */
const READS = 8;
/** After how many steps memory is looked at for the first and for the last time. A question to an agent is a step, a call of a tool too. */
export const [FEW_STEPS, MANY_STEPS] = [1_000, 10_000];
/** How many tasks the page shows. */
export const SHOWN = 1_000;

/** An agent's answer. @param {string} action @param {unknown} params */
const says = (action, params) => JSON.stringify({
  thought: 'at once', action, params, expectedOutcome: 'done', risk: { level: 'low' }, confidence: 95,
});

/** The answer to a prompt, by its beginning. @param {string} prompt @param {Work} work */
function answer(prompt, work) {
  if (prompt.startsWith('You understand')) return says('INTENT_ANALYSIS', { normalizedIntent: { goal: 'measure', action: 'create', scope: 'full_task' } });
  if (prompt.startsWith('You plan')) {
    const tasks = Array.from({ length: work.tasks }, (_, at) => ({ id: `task-${at + 1}`, description: `part ${at + 1}` }));
    return says('TASK_PLAN', { tasks });
  }
  if (prompt.startsWith('You review')) return says('REVIEW_APPROVE', { approved: true, score: 90, feedback: 'complete', riskLevel: 'low' });
  // An agent sees its last steps only, so it looks for the number of the last one.
  const last = [...prompt.matchAll(/"(?:read\/|part )(\d+)(?:\.txt|\?)"/g)].at(-1)?.[1];
  const next = last === undefined ? 0 : Number(last) + 1;
  if (next < work.asks) return says('USER_ESCALATE', { message: `part ${next}?`, options: ['Y', 'n'] });
  if (next < work.reads) return says('READ_FILE', { path: `read/${next}.txt` });
  return says('COMPLETE', { output: 'done', summary: 'all of it' });
}

/** How many tasks a workflow has, how many files are read for each, and how often a person is asked for each.
 * @typedef {{ tasks: number, reads: number, asks: number }} Work */

/** A daemon whose agents are this process. */
export class Crew {
  #home = mkdtempSync(join(tmpdir(), 'aide-bench-workflow-'));
  /** @type {Work} */
  #work = { tasks: 1, reads: 0, asks: 0 };
  /** When an agent was answered last, and how long it took until it was asked again. */
  #answered = 0;
  /** @type {number[]} */
  #gaps = [];
  /** Who waits until an agent is asked. @type {((time: number) => void) | undefined} */
  #awaited;
  /** How often an agent was asked. */
  asked = 0;
  /** Whether agents are asked in vain: they think until the end. */
  isSlow = false;
  #server = createServer((request, response) => {
    this.asked += 1;
    if (this.isSlow) return;
    let body = '';
    request.setEncoding('utf8').on('data', (part) => { body += part; });
    request.on('end', () => {
      const asked = performance.now();
      if (this.#answered) this.#gaps.push(asked - this.#answered);
      this.#awaited?.(asked);
      const content = answer(JSON.parse(body).messages[0].content, this.#work);
      const event = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`);
      this.#answered = performance.now();
    });
  });

  /** @param {string} [more] More of the person's configuration. */
  async start(more = '') {
    await new Promise((resolve) => { this.#server.listen(0, '127.0.0.1', () => resolve(undefined)); });
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    const config = `[daemon]\nprovider = "bench"\n\n[[agent.providers]]\nname = "bench"\nkind = "openai"\nbase_url = "http://127.0.0.1:${port}/v1"\nmodel = "bench"\n${more}`;
    for (const folder of ['.config/aide', 'project/.aide', 'project/read']) mkdirSync(join(this.#home, folder), { recursive: true });
    writeFileSync(join(this.#home, '.config/aide/config.toml'), config);
    for (let file = 0; file < READS; file += 1) writeFileSync(join(this.#home, `project/read/${file}.txt`), `file ${file}\n`.repeat(40));
    this.#aide('daemon', 'start', '--http-port=0', '--ws-port=0');
  }

  /** @param {string[]} args */
  #aide(...args) {
    const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home, FINGER_HOME: join(this.#home, 'state') };
    const { status, stdout, stderr } = spawnSync(binary, args, { env, cwd: join(this.#home, 'project'), encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  }

  get #told() {
    return JSON.parse(readFileSync(join(this.#home, 'state/daemon.json'), 'utf8'));
  }

  get pid() {
    return Number(this.#told.pid);
  }

  get url() {
    return `http://localhost:${this.#told.http_port}`;
  }

  /** How often the daemon has flushed its journal to the disk. @returns {Promise<number>} */
  async flushes() {
    return (await (await fetch(`${this.url}/health`)).json()).load.commits.count;
  }

  /** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  async #api(path, body) {
    const options = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}/api/v1/${path}`, options);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** @param {Work} work @returns {Promise<string>} */
  async #begin(work) {
    this.#work = work;
    const message = { content: 'measure', projectPath: join(this.#home, 'project') };
    return (await this.#api('message', { target: 'finger-orchestrator', message })).workflowId;
  }

  /** Until none is left. @param {string[]} workflows @param {number} [interval] Milliseconds between two looks. */
  async #ended(workflows, interval = 50) {
    const wanted = new Set(workflows);
    for (;;) {
      const open = (await this.#api('workflows')).filter((/** @type {any} */ one) => wanted.has(one.id) && one.status !== 'completed');
      const failed = open.find((/** @type {any} */ one) => one.status === 'failed');
      if (failed) throw new Error(`a workflow failed: ${JSON.stringify(failed)}`);
      if (open.length === 0) return;
      await sleep(interval);
    }
  }

  /** From an agent's answer until the next one is asked for, with a tool's call between: each in milliseconds. Both are on the disk by then. */
  async steps() {
    this.#gaps = [];
    this.#answered = 0;
    await this.#ended([await this.#begin({ tasks: 1, reads: READS, asks: 0 })]);
    // Understanding, planning, each file, completion, review.
    return this.#gaps.slice(2, 2 + READS);
  }

  /** From the user's answer to the agent's next prompt: each in milliseconds. */
  async decisions() {
    const times = [];
    const workflow = await this.#begin({ tasks: 1, reads: 0, asks: READS });
    for (let at = 0; at < READS; at += 1) {
      /** @type {any} */
      let asked;
      while (!asked) {
        [asked] = (await this.#api(`decision?workflowId=${workflow}&status=pending`)).decisions;
        if (!asked) await sleep(5);
      }
      const told = new Promise((resolve) => { this.#awaited = resolve; });
      const began = performance.now();
      await this.#api(`decision/${asked.decisionId}/respond`, { response: 'Y' });
      times.push(/** @type {number} */ (await told) - began);
    }
    this.#awaited = undefined;
    await this.#ended([workflow]);
    return times;
  }

  /** Many workflows at a time, whose agents have nothing to do: how long all take, in seconds. @param {number} [count] @param {number} [tasks] */
  async together(count = WORKFLOWS, tasks = TASKS) {
    const began = performance.now();
    // The list of all is itself work for the daemon: of many it is asked for less often.
    await this.#ended(await this.begun(count, tasks), Math.max(50, count));
    return (performance.now() - began) / 1000;
  }

  /** Begins many workflows. @param {number} count @param {number} [tasks] */
  begun(count, tasks = TASKS) {
    return Promise.all(Array.from({ length: count }, () => this.#begin({ tasks, reads: 0, asks: 0 })));
  }

  /** Memory after few and after many steps, and the most there has been: each in MB. */
  async memory() {
    // Each file is asked for and read; then come the tasks' ends, understanding, planning and review.
    const perWorkflow = TASKS * (2 * READS + 1) + 3;
    let done = 0;
    const until = async (/** @type {number} */ steps) => {
      while (done < steps) {
        const some = await Promise.all(Array.from({ length: 3 }, () => this.#begin({ tasks: TASKS, reads: READS, asks: 0 })));
        await this.#ended(some);
        done += some.length * perWorkflow;
      }
      return memory(this.#told.pid);
    };
    const few = await until(FEW_STEPS);
    const many = await until(MANY_STEPS);
    return { few, many, peak: peakMemory(this.#told.pid) };
  }

  stop() {
    this.#aide('daemon', 'stop');
    this.#server.close();
    this.#server.closeAllConnections();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** A daemon without agents, with a workflow that a program has planned and no agent executes: the link of its page. */
export class Planned {
  #home = mkdtempSync(join(tmpdir(), 'aide-bench-page-'));

  /** @param {string[]} args */
  #aide(...args) {
    const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home, FINGER_HOME: join(this.#home, 'state') };
    const { status, stderr } = spawnSync(binary, args, { env, cwd: this.#home, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stderr}`);
  }

  /** @param {number} count How many tasks the workflow has. */
  async page(count) {
    this.#aide('daemon', 'start', '--http-port=0', '--ws-port=0');
    const { http_port: port } = JSON.parse(readFileSync(join(this.#home, 'state/daemon.json'), 'utf8'));
    const post = async (/** @type {string} */ path, /** @type {unknown} */ body) => {
      const response = await fetch(`http://localhost:${port}/api/v1/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.json();
    };
    const { workflowId } = await post('message', { target: 'finger-orchestrator', message: { content: 'a plan' } });
    const tasks = Array.from({ length: count }, (_, at) => ({ id: `task-${at + 1}`, description: `part ${at + 1}`, dependencies: at < 5 ? [] : [`task-${at - 4}`] }));
    const step = (/** @type {string} */ trigger, /** @type {unknown} */ context) => post(`workflow/${workflowId}/transition`, { trigger, context });
    await step('intent_analyzed', {});
    await step('routing_decided', { route: 'full_replan' });
    await step('plan_created', { tasks });
    return `http://localhost:${port}/workflows/${workflowId}`;
  }

  remove() {
    this.#aide('daemon', 'stop');
    rmSync(this.#home, { recursive: true, force: true });
  }
}
