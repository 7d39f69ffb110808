// The real daemon, of a user of its own.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Registered } from '../../src/address.js';

/** The program under test. */
const binary = process.env['AIDE_BIN'] || fileURLToPath(new URL('../../../../../target/debug/aide', import.meta.url));

export class Daemon {
  readonly #folder: string;
  registered!: Registered;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Starts one that is gone at the end of the test. Until then it is the daemon of this process's user. `config` is that user's
   * configuration.
   */
  static async start(context: TestContext, config?: string): Promise<Daemon> {
    const folder = await mkdtemp(join(tmpdir(), 'finger-'));
    if (config) {
      await mkdir(join(folder, '.config/aide'), { recursive: true });
      await writeFile(join(folder, '.config/aide/config.toml'), config);
    }
    const daemon = new Daemon(folder);
    const names = ['FINGER_HOME', 'FINGER_HTTP_URL', 'FINGER_HUB_URL', 'FINGER_WS_URL'];
    const before = names.map((name) => [name, process.env[name]] as const);
    context.after(async () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await daemon.run('stop').catch(() => {});
      await rm(folder, { recursive: true });
    });
    for (const name of names) delete process.env[name];
    process.env['FINGER_HOME'] = daemon.home;
    await daemon.launch('0', '0');
    return daemon;
  }

  get home(): string {
    return join(this.#folder, 'daemon');
  }

  /** The home of its user. */
  get folder(): string {
    return this.#folder;
  }

  /** What a program of the same user has around it. */
  get environment(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: this.#folder, FINGER_HOME: this.home };
  }

  /** Kills it, and starts it again where it was. */
  async restart(): Promise<void> {
    process.kill(this.registered.pid, 'SIGKILL');
    const port = (url: string) => new URL(url).port;
    await this.launch(port(this.registered.http_url), port(this.registered.ws_url));
  }

  /** Sends a request as any program can. */
  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const url = `${this.registered.http_url}/api/v1/${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.registered.http_url}/api/v1/${path}`)).json()) as T;
  }

  private async launch(httpPort: string, wsPort: string): Promise<void> {
    await this.run('start', '--http-port', httpPort, '--ws-port', wsPort);
    this.registered = JSON.parse(await readFile(join(this.home, 'daemon.json'), 'utf8')) as Registered;
  }

  private async run(...args: string[]): Promise<void> {
    await promisify(execFile)(binary, ['daemon', ...args], { env: this.environment, cwd: this.#folder });
  }
}

/** Drives a workflow to its end, as the agents of `aide` do: two tasks, and a question before the first is done. */
export async function drive(daemon: Daemon, workflowId: string): Promise<string> {
  const happened = (trigger: string, context: object = {}) =>
    daemon.post(`workflow/${workflowId}/transition`, { trigger, context });
  await happened('intent_analyzed', { intent: { goal: 'a report', confidence: 0.9 } });
  await happened('routing_decided', { route: 'full_replan' });
  const tasks = [
    { id: 'task-1', description: '搜索' },
    { id: 'task-2', description: '总结', dependencies: ['task-1'] },
  ];
  await happened('plan_created', { tasks });
  await happened('task_started', { taskId: 'task-1', agentId: 'executor-research' });
  const question = { workflowId, taskId: 'task-1', message: '检测到网络访问，是否继续？', options: ['Y', 'n'] };
  const { decisionId } = await daemon.post<{ decisionId: string }>('decision', question);
  let answer: { status: string; response?: string };
  do answer = await daemon.get(`decision/${decisionId}?wait=20`);
  while (answer.status === 'pending');
  await happened('task_completed', { taskId: 'task-1' });
  await happened('task_started', { taskId: 'task-2', agentId: 'executor-general' });
  await happened('task_completed', { taskId: 'task-2' });
  await happened('review_passed', { output: { path: './deepseek/report.md' } });
  return answer.response ?? answer.status;
}
