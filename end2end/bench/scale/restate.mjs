// Workflows of steps beside Restate doing the same: another durable engine, from npm, in a folder of its own. Its server must not
// be offered as a service (Business Source License); it is measured here, and never shipped.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crew } from '../workflow.mjs';
import { time, together, withDaemon } from './place.mjs';

const [SERVER, SDK] = ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1'];
const [WORKFLOWS, STEPS, TOGETHER] = [200, 10, 20];

// Promise.withResolvers, which the SDK calls, came with Node.js 22.
const SERVICE = `
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};
const restate = await import('@restatedev/restate-sdk');
const run = async (context, steps) => {
  for (let step = 0; step < steps; step += 1) await context.run('step ' + step, () => step);
  return steps;
};
console.log(await restate.serve({ services: [restate.service({ name: 'steps', handlers: { run } })], port: 0 }));
`;

/** @param {number | undefined} pid Bytes that a process has caused to be written to the disk so far. */
const written = (pid) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

/** @param {string} socketPath @param {string} path @param {unknown} body */
function post(socketPath, path, body) {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method: 'POST', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part) => { answer += part; });
      response.on('end', () => (Number(response.statusCode) < 300 ? resolve(answer) : reject(new Error(`${path}: ${response.statusCode} ${answer}`))));
    });
    sent.on('error', reject).end(text);
  });
}

/** Milliseconds and bytes of the workflows in Restate; nothing where npm cannot be reached. @param {number} workflows */
async function restate(workflows) {
  const folder = mkdtempSync(join(tmpdir(), 'aide-scale-restate-'));
  /** @type {{ kill: (signal: 'SIGKILL') => unknown }[]} */
  const processes = [];
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const installed = spawnSync('npm', ['install', '--silent', SERVER, SDK], { cwd: folder, encoding: 'utf8' });
    if (installed.status !== 0) return undefined;
    writeFileSync(join(folder, 'service.mjs'), SERVICE);
    const service = spawn('node', ['service.mjs'], { cwd: folder });
    const server = spawn(join(folder, 'node_modules/.bin/restate-server'), ['--base-dir', join(folder, 'data'), '--no-logo'], {
      cwd: folder, env: { ...process.env, RESTATE_USE_RANDOM_PORTS: 'true' }, stdio: 'ignore',
    });
    processes.push(service, server);
    const port = await new Promise((resolve) => {
      service.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        const line = /^\d+$/m.exec(text);
        if (line) resolve(line[0]);
      });
    });
    const socket = async (/** @type {string} */ name) => {
      for (;;) {
        const node = existsSync(join(folder, 'data')) ? readdirSync(join(folder, 'data')).find((entry) => existsSync(join(folder, 'data', entry, name))) : undefined;
        if (node !== undefined) return join(folder, 'data', node, name);
        await sleep(100);
      }
    };
    const [admin, ingress] = [await socket('admin.sock'), await socket('ingress.sock')];
    for (let attempt = 0; ; attempt += 1) {
      try {
        await post(admin, '/deployments', { uri: `http://localhost:${port}` });
        break;
      } catch (error) {
        if (attempt === 100) throw error;
        await sleep(200);
      }
    }
    const run = () => post(ingress, '/steps/run', STEPS);
    await together(TOGETHER, TOGETHER, run);
    // What npm installs is a script that starts the server.
    const pid = Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ')[0]);
    processes.unshift({ kill: (signal) => process.kill(pid, signal) });
    const before = written(pid);
    const milliseconds = await time(() => together(workflows, TOGETHER, run));
    return { milliseconds, bytes: written(pid) - before };
  } finally {
    for (const one of processes) one.kill('SIGKILL');
    await sleep(200);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same workflows, each step a transition over HTTP. @param {number} workflows */
function transitions(workflows) {
  return withDaemon(async (place) => {
    const run = async (/** @type {number} */ number) => {
      const workflow = await place.begin(`workflow ${number}`);
      const trigger = (/** @type {string} */ name, /** @type {unknown} */ context) => place.api(`workflow/${workflow}/transition`, { trigger: name, context });
      await trigger('intent_analyzed', {});
      await trigger('routing_decided', { route: 'full_replan' });
      await trigger('plan_created', { tasks: [{ id: 'task-1', description: 'a' }] });
      for (let step = 3; step < STEPS; step += 1) await place.transition(workflow);
    };
    await together(TOGETHER, TOGETHER, run);
    return { milliseconds: await time(() => together(workflows, TOGETHER, run)) };
  });
}

/** The same number of steps by the engine, each a task of an agent that answers at once. @param {number} workflows */
async function tasks(workflows) {
  const crew = new Crew();
  await crew.start(`[daemon.concurrency]\ntotal = ${TOGETHER}\nexecutor = ${TOGETHER}\norchestrator = ${TOGETHER}\nreviewer = ${TOGETHER}\n`);
  try {
    await crew.together(TOGETHER, STEPS);
    const before = written(crew.pid);
    const seconds = await crew.together(workflows, STEPS);
    return { milliseconds: seconds * 1000, bytes: written(crew.pid) - before };
  } finally {
    crew.stop();
  }
}

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const workflows = size(WORKFLOWS);
  const other = await restate(workflows);
  if (other === undefined) {
    console.error('restate: left out, because npm cannot install it');
    return [];
  }
  const [rest, engine] = [await transitions(workflows), await tasks(workflows)];
  const what = `${workflows} workflows of ${STEPS} steps, ${TOGETHER} at a time, against Restate (${other.milliseconds.toFixed(0)} ms, ${(other.bytes / 1e6).toFixed(1)} MB)`;
  const row = (/** @type {string} */ how, /** @type {string} */ own, /** @type {number} */ ratio, /** @type {number} */ limit) => ({
    what: `${what}: ${how} (${own})`, wanted: `≤ ${limit} ×`, measured: `${ratio.toFixed(1)} ×`, met: ratio <= limit,
  });
  return [
    row('transitions over HTTP', `${rest.milliseconds.toFixed(0)} ms`, rest.milliseconds / other.milliseconds, 1),
    row('the engine, time', `${engine.milliseconds.toFixed(0)} ms`, engine.milliseconds / other.milliseconds, 3),
    row('the engine, bytes written', `${(engine.bytes / 1e6).toFixed(1)} MB`, engine.bytes / other.bytes, 20),
  ];
}
