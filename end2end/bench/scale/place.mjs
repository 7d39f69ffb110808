// A daemon with a folder of its own, seen from outside: requests over HTTP, and what Linux says of its process.
import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from '../../lib/aide.mjs';
import { processorTimeOfAll } from '../process.mjs';

export class Place {
  home = mkdtempSync(join(tmpdir(), 'aide-scale-'));
  /** Closes an idle connection before the daemon does, after 10 seconds: a request that is sent at that moment is lost. */
  #http = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: 5000 });

  /** @param {string} [config] The person's configuration. */
  constructor(config = '') {
    mkdirSync(join(this.home, '.config/aide'), { recursive: true });
    writeFileSync(join(this.home, '.config/aide/config.toml'), config);
  }

  get env() {
    return { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.home, FINGER_HOME: join(this.home, 'state') };
  }

  /** @param {string[]} args */
  aide(...args) {
    const { status, stdout, stderr } = spawnSync(binary, args, { env: this.env, cwd: this.home, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Milliseconds until the command has ended, which is when `/health` has answered. */
  start() {
    const began = performance.now();
    this.aide('daemon', 'start', '--http-port=0', '--ws-port=0');
    return performance.now() - began;
  }

  get #process() {
    return JSON.parse(readFileSync(join(this.home, 'state/daemon.json'), 'utf8'));
  }

  get pid() {
    return Number(this.#process.pid);
  }

  get webSocketPort() {
    return Number(this.#process.ws_port);
  }

  get url() {
    return `http://localhost:${this.#process.http_port}`;
  }

  /** Processor time so far, in milliseconds. */
  get processorTime() {
    return processorTimeOfAll(this.pid);
  }

  /** Bytes that the process has caused to be written to the disk so far. */
  get written() {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${this.pid}/io`, 'utf8'))?.[1]);
  }

  /** @param {string} path Below the API. @param {unknown} [body] @returns {Promise<any>} */
  api(path, body) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : {
      'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'idempotency-key': randomUUID(),
    };
    const method = text === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/api/v1/${path}`, { method, headers, agent: this.#http }, (response) => {
        /** @type {Buffer[]} */
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          const answer = Buffer.concat(parts);
          if (response.statusCode === 200) resolve(JSON.parse(answer.toString()));
          else reject(new Error(`${path}: ${response.statusCode} ${answer}`));
        });
      });
      sent.on('error', reject).end(text);
    });
  }

  /** The bytes of an answer, which is not kept. @param {string} path @returns {Promise<number>} */
  drain(path) {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, { agent: this.#http }, (response) => {
        let bytes = 0;
        response.on('data', (part) => { bytes += part.length; });
        response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path}: ${response.statusCode}`))));
      });
      sent.on('error', reject).end();
    });
  }

  /** A workflow that no agent drives. @param {string} content @returns {Promise<string>} Its id. */
  async begin(content) {
    return (await this.api('message', { target: 'finger-orchestrator', message: { content } })).workflowId;
  }

  /** A workflow with a task that is being done, for [`Place.transition`]. */
  async prepared() {
    const workflow = await this.begin('transitions');
    const trigger = (/** @type {string} */ name, /** @type {unknown} */ context) => this.api(`workflow/${workflow}/transition`, { trigger: name, context });
    await trigger('intent_analyzed', {});
    await trigger('routing_decided', { route: 'full_replan' });
    await trigger('plan_created', { tasks: [{ id: 'task-1', description: 'a' }] });
    return workflow;
  }

  /** One transition, on the disk when it is answered. @param {string} workflow */
  transition(workflow) {
    return this.api(`workflow/${workflow}/transition`, { trigger: 'task_progress', context: { tasks: [{ id: 'task-1', status: 'in_progress' }] } });
  }

  kill() {
    process.kill(this.pid, 'SIGKILL');
  }

  remove() {
    spawnSync(binary, ['daemon', 'stop'], { env: this.env, cwd: this.home });
    this.#http.destroy();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** @template T @param {(place: Place) => Promise<T>} work @param {string} [config] @returns {Promise<T>} What `work` returns, of a daemon that is removed afterwards. */
export async function withDaemon(work, config) {
  const place = new Place(config);
  try {
    place.start();
    return await work(place);
  } finally {
    place.remove();
  }
}

/** Does it `count` times, `clients` at a time. @param {number} count @param {number} clients @param {(number: number) => Promise<unknown>} act */
export async function together(count, clients, act) {
  let next = 0;
  const client = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** How many a second. @param {number} count @param {() => Promise<unknown>} act */
export async function rate(count, act) {
  const began = performance.now();
  await act();
  return count / ((performance.now() - began) / 1000);
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Milliseconds. @param {() => unknown} act */
export async function time(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** The share of one processor that a daemon takes in a while in which nothing happens, in percent. @param {Place} place @param {number} seconds */
export async function load(place, seconds) {
  const before = place.processorTime;
  await sleep(seconds * 1000);
  return (place.processorTime - before) / (seconds * 10);
}
