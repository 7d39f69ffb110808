// What a daemon costs: its start, a change that is on the disk, many who listen, and doing nothing.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from '../lib/aide.mjs';
import { memory, peakMemory } from './process.mjs';

/** How many workflows are open when it starts again. */
export const OPEN = 10_000;
/** How many listen, to so many events a second, for so many seconds. */
export const [CLIENTS, RATE, SECONDS] = [1_000, 100, 5];
/** How many changes are made in sequence, and how many events are sent as fast as possible. */
const [CHANGES, EVENTS] = [200, 4_000];
/** How many programs ask at the same time. */
const TOGETHER = 32;
/** For so long it does nothing before its memory is read, in seconds. */
const IDLE = 3;

/** A daemon with a folder of its own for its state, and free ports. */
export class Daemon {
  #home = mkdtempSync(join(tmpdir(), 'aide-bench-daemon-'));
  #agent = new Agent({ keepAlive: true, maxSockets: TOGETHER });

  /** @param {string[]} args */
  #aide(...args) {
    const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#home, FINGER_HOME: join(this.#home, 'state') };
    const { status, stdout, stderr } = spawnSync(binary, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`aide ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  }

  get #told() {
    return JSON.parse(readFileSync(join(this.#home, 'state/daemon.json'), 'utf8'));
  }

  /** From the start of the command until it has ended, which is when `/health` has answered; in milliseconds. */
  start() {
    const began = performance.now();
    this.#aide('daemon', 'start', '--http-port=0', '--ws-port=0');
    return performance.now() - began;
  }

  stop() {
    this.#aide('daemon', 'stop');
  }

  kill() {
    process.kill(this.#told.pid, 'SIGKILL');
  }

  /** @param {string} path @param {unknown} body @returns {Promise<any>} */
  #post(path, body) {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'idempotency-key': randomBytes(8).toString('hex') };
    return new Promise((resolve, reject) => {
      const asked = request({ port: this.#told.http_port, path: `/api/v1/${path}`, method: 'POST', headers, agent: this.#agent }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (part) => { answer += part; });
        response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(answer)) : reject(new Error(`${path}: ${answer}`))));
      });
      asked.on('error', reject).end(text);
    });
  }

  /** @param {string} content */
  #begin(content) {
    return this.#post('message', { target: 'finger-orchestrator', message: { content } });
  }

  /** @param {number} count @param {(number: number) => Promise<unknown>} act */
  async #together(count, act) {
    let next = 0;
    const one = async () => {
      while (next < count) await act(next++);
    };
    await Promise.all(Array.from({ length: TOGETHER }, one));
  }

  /** Opens workflows. @param {number} count */
  open(count) {
    return this.#together(count, (number) => this.#begin(`workflow ${number}`));
  }

  /** How long one change of a workflow takes that is on the disk when it is answered: each in milliseconds. */
  async changes() {
    const { workflowId } = await this.#begin('changes');
    const step = (/** @type {string} */ trigger, /** @type {unknown} */ context) => this.#post(`workflow/${workflowId}/transition`, { trigger, context });
    await step('intent_analyzed', {});
    await step('routing_decided', { route: 'full_replan' });
    await step('plan_created', { tasks: [{ id: 'task-1', description: 'a' }] });
    const times = [];
    for (let number = 0; number < CHANGES; number += 1) {
      const began = performance.now();
      await step('task_progress', { tasks: [{ id: 'task-1', status: 'in_progress' }] });
      times.push(performance.now() - began);
    }
    return times;
  }

  /** How many events a second are requested, written to the disk, and sent. */
  async events() {
    // Each in a session of its own: in one they would wait for each other.
    const sessions = await Promise.all(Array.from({ length: TOGETHER }, async () => (await this.#begin('events')).sessionId));
    const began = performance.now();
    await this.#together(EVENTS, (number) => this.#post(`sessions/${sessions[number % TOGETHER]}/messages`, { content: `${number}` }));
    return EVENTS / ((performance.now() - began) / 1000);
  }

  /** What many who listen take: memory at its peak, in MB. */
  async crowd() {
    const { sessionId } = await this.#begin('crowd');
    const clients = [];
    for (let number = 0; number < CLIENTS; number += 1) clients.push(await listen(this.#told.ws_port));
    const before = clients.map((client) => client.events());
    const sent = RATE * SECONDS;
    const began = performance.now();
    for (let number = 0; number < sent; number += 1) {
      await sleep(Math.max(0, began + (number * 1000) / RATE - performance.now()));
      void this.#post(`sessions/${sessionId}/messages`, { content: `${number}` });
    }
    const deadline = performance.now() + 20_000;
    while (clients.some((client, number) => client.events() - (before[number] ?? 0) < sent)) {
      if (performance.now() > deadline) throw new Error('somebody was not told everything');
      await sleep(20);
    }
    const most = peakMemory(this.#told.pid);
    for (const client of clients) client.end();
    return most;
  }

  /** What it takes while nothing happens: memory in MB. */
  async idle() {
    await sleep(IDLE * 1000);
    return memory(this.#told.pid);
  }

  remove() {
    this.#agent.destroy();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** A client that listens to everything, and counts. @param {number} port */
export async function listen(port) {
  const socket = connect({ port, host: '127.0.0.1' });
  const key = randomBytes(16).toString('base64');
  socket.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  let events = 0;
  let rest = Buffer.alloc(0);
  /** @type {(value?: unknown) => void} */
  let upgraded = () => {};
  const ready = new Promise((resolve) => { upgraded = resolve; });
  let isUpgraded = false;
  socket.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    if (!isUpgraded) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      rest = rest.subarray(end + 4);
      isUpgraded = true;
      upgraded();
    }
    // Frames of a server are not masked; none of these is longer than 64 KiB.
    while (rest.length >= 2) {
      const short = (rest[1] ?? 0) & 0x7f;
      const head = short === 126 ? 4 : 2;
      if (rest.length < head) return;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < head + length) return;
      if (((rest[0] ?? 0) & 0x0f) === 1 && rest.includes('"seq":', head)) events += 1;
      rest = rest.subarray(head + length);
    }
  });
  socket.on('error', () => {});
  await ready;
  return { events: () => events, end: () => socket.destroy() };
}
