// What an agent's command costs besides its provider, and what a plan's router delivers.
import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from '../lib/aide.mjs';
import { peakMemory, processorTime } from './process.mjs';

const PLAN = 'plan_bench';
/** An agent that works for no plan. */
const ALONE = 'alone/agent_c';
/** How many messages are delivered at a time. */
export const MESSAGES = 200;
/** For so long a router is watched while nothing happens, in seconds: it looks at everything every five. */
export const IDLE = 10;

const CONFIG = `[agent]
provider = "cat"

[[agent.providers]]
name = "cat"
kind = "command"
command = "cat"
`;

/** A plan of two tasks and three agents, and a person whose own file names the provider. */
export class Plan {
  #home = mkdtempSync(join(tmpdir(), 'aide-bench-home-'));
  #dir = mkdtempSync(join(tmpdir(), 'aide-bench-plan-'));
  #sent = 0;

  constructor() {
    mkdirSync(join(this.#dir, ALONE), { recursive: true });
    this.#write(this.#home, '.config/aide/config.toml', CONFIG);
    for (const agent of ['agent_a', 'agent_b', 'agent_c']) mkdirSync(join(this.#dir, '.aide/agents', agent), { recursive: true });
    mkdirSync(join(this.#dir, `.aide/agents/agent_b/inbox/${PLAN}`), { recursive: true });
    const output = { name: 'a_out', deliver_to: ['agent_b'], idempotency_key: 'p:a', versioning: { mode: 'immutable_by_message_id' } };
    const node = { task_id: 'a', assigned_agent_id: 'agent_a', depends_on: [], outputs: [output] };
    // Waits for a file that is never made, so that the plan does not end.
    const waiting = { ...node, task_id: 'b', assigned_agent_id: 'agent_c', outputs: [{ ...output, name: 'b_out', deliver_to: ['agent_a'] }] };
    this.#write(this.#dir, 'plan/task_dag.json', { schema_version: '1.1', plan_id: PLAN, nodes: [node, waiting] });
    this.#write(this.#dir, 'plan/commands/a.cmd.json', command('cmd_a', 'a'));
    this.#write(this.#dir, 'plan/commands/b.cmd.json', { ...command('cmd_b', 'b'), required_inputs: ['never.md'], wait_for_inputs: true, timeout: 86_400 });
    this.#aide('plan', 'activate', 'plan');
    this.#aide('plan', 'tick');
  }

  /** @param {string} folder @param {string} path @param {unknown} content */
  #write(folder, path, content) {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }

  get #options() {
    return { cwd: this.#dir, env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home }, encoding: /** @type {const} */ ('utf8') };
  }

  /** @param {string[]} args */
  #aide(...args) {
    const { status, stdout, stderr } = spawnSync(binary, args, this.#options);
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  }

  /** Timed by a shell, as an agent's shell would run it, in milliseconds. @param {string[]} args */
  #timed(...args) {
    const script = 'began=$EPOCHREALTIME; "$@" >/dev/null || exit; ended=$EPOCHREALTIME; echo $((${ended/[.,]/} - ${began/[.,]/}))';
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', binary, ...args], this.#options);
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stderr}`);
    return Number(stdout.trim()) / 1000;
  }

  /** Puts a command into the inbox. @returns The name of its task. */
  send() {
    this.#sent += 1;
    const [task, id] = [`t${this.#sent}`, `cmd_t${this.#sent}_001`];
    const envelope = {
      schema_version: '1.0', message_id: `msg_t${this.#sent}`, plan_id: 'plan_direct', producer_agent_id: 'agent_issuer', type: 'command',
      created_at: '2026-01-12T09:00:00Z', task_id: task, command_id: id,
      payload: { command: { ...command(id, task), plan_id: 'plan_direct', command_seq: 1, dag_ref: { sha256: `sha256:${'0'.repeat(64)}` } } },
    };
    this.#write(this.#dir, `${ALONE}/inbox/plan_direct/${id}.msg.json`, envelope);
    return task;
  }

  /** How many commands of the inbox have been executed. */
  get executed() {
    return readdirSync(join(this.#dir, ALONE, 'outbox/plan_direct')).filter((name) => name.startsWith('artifact_')).length;
  }

  /** Milliseconds in which `aide agent run --once` executes the first commands of the inbox: so many as a round has. */
  runOnce() {
    return this.#timed('agent', 'run', '--once', '--agent', `./${ALONE}`);
  }

  /** A command in the inbox becomes results and a message in the outbox; the provider is `cat`. */
  execute() {
    const task = this.send();
    const time = this.runOnce();
    const outbox = readdirSync(join(this.#dir, ALONE, 'outbox/plan_direct'));
    if (!outbox.some((name) => name.startsWith(`artifact_${task}_`))) throw new Error(`no message of ${task} in ${this.#dir}: ${outbox}`);
    return time;
  }

  /** What it takes to deliver [`MESSAGES`] messages to one agent. */
  deliver() {
    this.#sent += 1;
    const outbox = `.aide/agents/agent_a/outbox/${PLAN}`;
    for (let number = 0; number < MESSAGES; number += 1) {
      const [message, path, content] = [`msg_${this.#sent}_${number}`, `${this.#sent}/${number}.md`, `${this.#sent} ${number}\n`];
      this.#write(this.#dir, `${outbox}/${path}`, content);
      const sha256 = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      this.#write(this.#dir, `${outbox}/artifact_${message}.msg.json`, {
        schema_version: '1.0', message_id: message, plan_id: PLAN, task_id: 'a', output_name: 'a_out', producer_agent_id: 'agent_a',
        type: 'artifact', created_at: '2026-01-12T09:00:00Z', payload: { files: [{ path, sha256 }] },
      });
    }
    const before = this.#delivered();
    const time = this.#timed('plan', 'tick');
    const delivered = this.#delivered() - before;
    if (delivered !== MESSAGES) throw new Error(`${delivered} of ${MESSAGES} were delivered`);
    return time;
  }

  /** As if so many messages had been delivered before. @param {number} count */
  settle(count) {
    const sent = join(this.#dir, `.aide/agents/agent_a/outbox/${PLAN}/.sent`);
    mkdirSync(sent, { recursive: true });
    const lines = Array.from({ length: count }, (_, number) => {
      const [message, sha256] = [`msg_old_${number}`, `sha256:${createHash('sha256').update(`old ${number}`).digest('hex')}`];
      const file_name = `artifact_${message}.msg.json`;
      writeFileSync(join(sent, file_name), '{}');
      return `${JSON.stringify({
        schema_version: '1.0', delivery_id: `del_old_${number}`, plan_id: PLAN, message_id: message, envelope_sha256: sha256, task_id: 'a',
        output_name: 'a_out', from_agent_id: 'agent_a', to_agent_id: 'agent_b', delivered_at: '2026-01-12T09:00:00Z', status: 'DELIVERED',
        payload: { files: [{ path: `old/${number}.md`, sha256 }] }, file_name, dag_sha256: `sha256:${'0'.repeat(64)}`,
      })}\n`;
    });
    appendFileSync(join(this.#dir, `.aide/system_runtime/plans/${PLAN}/deliveries.jsonl`), lines.join(''));
  }

  /** What `aide plan run` takes while nothing happens: memory at its peak in MB, and processor time in ms. */
  async idle() {
    const status = join(this.#dir, `.aide/system_runtime/plans/${PLAN}/plan_status.json`);
    rmSync(status, { force: true });
    const { cwd, env } = this.#options;
    const run = spawn(binary, ['plan', 'run', '--json'], { cwd, env, stdio: 'ignore' });
    const ended = new Promise((resolve) => run.once('exit', resolve));
    try {
      // The first pass ends with it; the command of the first task is carried out then.
      while (!existsSync(status)) await sleep(50);
      await sleep(3_000);
      const before = processorTime(run.pid);
      await sleep(IDLE * 1_000);
      return { memory: peakMemory(run.pid), time: processorTime(run.pid) - before };
    } finally {
      run.kill();
      await ended;
    }
  }

  #delivered() {
    const names = readdirSync(join(this.#dir, `.aide/agents/agent_b/inbox/${PLAN}`));
    return names.filter((name) => name.endsWith('.msg.json')).length;
  }

  remove() {
    for (const folder of [this.#dir, this.#home]) rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} id @param {string} task */
function command(id, task) {
  return {
    schema_version: '1.0', command_id: id, plan_id: PLAN, task_id: task, prompt: 'Say it again.', required_inputs: [], wait_for_inputs: false,
    score_required: false, timeout: 60, produces: [{ output_name: `${task}_out`, files: [{ path: `${task}.md` }] }],
  };
}
