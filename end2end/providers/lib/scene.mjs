// A project with an agent, a home that is empty but for what leads a program to the mock, and the program that is tested.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const BIN = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
/** There for some systems only: where it is not, nothing is said of opencode. */
export const OPENCODE = fileURLToPath(new URL('../node_modules/opencode-linux-x64-baseline/bin', import.meta.url));
export const AIDE = process.env.AIDE_BIN || join(root, 'target/debug/aide');

const COMMAND = {
  schema_version: '1.0',
  command_id: 'cmd_a',
  plan_id: 'plan_a',
  task_id: 'task_a',
  prompt: 'What is the answer?',
  required_inputs: [],
  wait_for_inputs: true,
  score_required: false,
  timeout: 3600,
};

/** Runs a program to its end, in no other environment than `env`. */
export function run(program, args, { cwd, env, input = '' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
    const said = { out: [], err: [] };
    child.stdout.on('data', (bytes) => said.out.push(bytes));
    child.stderr.on('data', (bytes) => said.err.push(bytes));
    child.on('error', reject);
    child.on('close', (code) => {
      const [stdout, stderr] = [said.out, said.err].map((chunks) => Buffer.concat(chunks).toString());
      resolve({ code, stdout, stderr });
    });
    // It may end before all is read.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export class Scene {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'aide-providers-'));
    for (const name of ['home', 'project', 'tmp']) mkdirSync(join(this.folder, name));
    this.home = join(this.folder, 'home');
    this.project = join(this.folder, 'project');
    this.env = {
      PATH: `${BIN}:${OPENCODE}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: this.home,
      // Some write reports there.
      TMPDIR: join(this.folder, 'tmp'),
      LANG: 'C.UTF-8',
      AIDE_LANG: 'en',
    };
  }

  write(path, text) {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  aide(...args) {
    return run(AIDE, args, { cwd: this.project, env: this.env });
  }

  /** A project whose agent is answered by this provider; `keys` are lines of its configuration. */
  async prepare(keys) {
    this.write('home/.config/aide/config.toml', `[[agent.providers]]\n${keys.join('\n')}\n`);
    this.write('project/.aide/agents/a/agent_profile.json', '{"prompt":"You are an agent."}');
    this.write('project/command.json', JSON.stringify(COMMAND));
    await this.aide('init');
  }

  exec() {
    return this.aide('agent', 'exec', '--agent', 'a', '--json', 'command.json');
  }

  /** What is kept of each request, and of each that was in vain. */
  calls() {
    const found = files(join(this.project, '.aide/agents/a')).find((file) => file.endsWith('/llm_calls.jsonl'));
    if (!found) return [];
    return readFileSync(found, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  }

  /** Removes it all. A server that was told to end may write until it has: what it writes meanwhile is removed as well. */
  remove() {
    const deadline = Date.now() + 10_000;
    for (;;) {
      try {
        return rmSync(this.folder, { recursive: true, force: true });
      } catch (error) {
        if (error.code !== 'ENOTEMPTY' || Date.now() > deadline) throw error;
      }
    }
  }
}

/** The files below a folder. */
export function files(folder) {
  if (!existsSync(folder)) return [];
  const all = readdirSync(folder, { withFileTypes: true, recursive: true });
  return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
