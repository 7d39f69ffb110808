// What `aide setup --hook` writes, as the real Claude Code follows it: its model is a stand-in on loopback.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { model } from './lib/model.mjs';
import { answer, asked, decisions, until } from './lib/person.mjs';
import { Scene } from './lib/scene.mjs';

/** A terminal is had by Python alone. */
const NO_TERMINAL = spawnSync('/usr/bin/env', ['python3', '--version']).status === 0 ? false : 'there is no python3';
const TERMINAL = fileURLToPath(new URL('lib/terminal.py', import.meta.url));
/** Sequences for the terminal beside its text. */
const SEQUENCES = /\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** How many threads share a processor; 1 where none has to, or where the system does not say. */
function crowd() {
  try {
    const [running] = readFileSync('/proc/loadavg', 'utf8').split(' ')[3].split('/');
    return Math.max(1, Number(running) / availableParallelism());
  } catch {
    return 1;
  }
}

const KEY = 'sk-ant-0123456789abcdefghijklmnopqrstuvwxyz';

/** A project, and a home with what `aide setup` writes there; the variables that Claude Code gets. */
async function prepare(scene, standIn) {
  mkdirSync(join(scene.project, '.git'));
  await scene.aide('init');
  await scene.aide('config', 'set', 'decide.port', '0');
  const { code, stderr } = await scene.aide('setup', 'claude', '--user', '--hook');
  assert.equal(code, 0, stderr);
  return {
    ...scene.env,
    ANTHROPIC_BASE_URL: standIn.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    // On a busy machine servers take longer to begin than it waits for them with its first request.
    CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '60000',
  };
}

/** Ends a process and waits until it has: as long as it runs, it writes into its folder. */
async function end(child, signal) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill(signal);
  await ended;
}

/** Runs Claude Code with its hooks, and answers what it asks once that is open. Returns all that the model was sent. */
async function claude(tool, input, args, first, answers) {
  const scene = new Scene();
  const standIn = await model('claude', tool, input);
  let child;
  try {
    const env = await prepare(scene, standIn);
    child = spawn('claude', args, { cwd: scene.project, env, stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'close');
    if (first) child.stdin.write(first);
    else child.stdin.end();
    const session = await asked(scene);
    await answer(scene, session, answers);
    const isDelivered = () => readFileSync(join(decisions(scene), `receipts/${session}.json`), 'utf8').includes('delivered_at');
    await until(() => isDelivered() && standIn.seen.length > 1, 'the answer was not delivered');
    child.stdin.end();
    await ended;
    return JSON.stringify(standIn.seen);
  } finally {
    await end(child, 'SIGKILL');
    standIn.close();
    scene.remove();
  }
}

/** Runs Claude Code in a terminal. `use` gets what it shows, without its colours, and types. */
async function interactive(tool, input, use) {
  const scene = new Scene();
  const standIn = await model('claude', tool, input);
  let child;
  try {
    // As after its first start, in a folder that the person trusts.
    const projects = { [scene.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
    const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] };
    const state = { hasCompletedOnboarding: true, theme: 'dark', numStartups: 3, customApiKeyResponses, projects };
    scene.write('home/.claude.json', JSON.stringify(state));
    const env = { ...(await prepare(scene, standIn)), TERM: 'xterm-256color' };
    child = spawn('python3', [TERMINAL, 'claude', '--allowedTools', tool], { cwd: scene.project, env, stdio: 'pipe' });
    let shown = '';
    child.stdout.on('data', (bytes) => {
      shown += bytes;
    });
    const screen = () => shown.replace(SEQUENCES, '');
    const type = (text) => child.stdin.write(text);
    await use({ scene, standIn, screen, type });
  } finally {
    await end(child, 'SIGTERM');
    standIn.close();
    scene.remove();
  }
}

describe('hooks of Claude Code', { concurrency: 2 }, () => {
  test('the answer to a call that did not wait reaches the session', async () => {
    const options = [{ value: 'a', label: 'A' }, { value: 'b', label: 'The other one' }];
    const input = { task: 'Wake', source: 's', wait: false, items: [{ id: 1, title: 'Which?', options }] };
    const name = 'mcp__aide__decide_submit';
    const args = ['-p', 'ask me', '--allowedTools', name];
    const seen = await claude(name, input, args, '', [{ id: 1, chosen: 'b', note: 'because' }]);
    assert.match(seen, /aide: the questions that you asked have ended/);
    assert.match(seen, /Which\?: The other one \(note: because\)/);
  });

  test('a session that is idle in its terminal is woken by the answer', { skip: NO_TERMINAL }, async () => {
    const options = [{ value: 'a', label: 'A' }, { value: 'b', label: 'The other one' }];
    const input = { task: 'Wake', source: 's', wait: false, items: [{ id: 1, title: 'Which?', options }] };
    const name = 'mcp__aide__decide_submit';
    await interactive(name, input, async ({ scene, standIn, screen, type }) => {
      await until(() => screen().includes('❯'), () => `no prompt: ${screen()}`);
      // In one word: a space is a movement of the cursor.
      type('question');
      await until(() => screen().includes('question'), () => `nothing was typed: ${screen()}`);
      const { requests } = standIn;
      // Other requests than those of the conversation have no tools.
      const turns = () => requests.filter(({ tools }) => tools.length > 0);
      const isSent = () => turns().some(({ tools }) => tools.includes(name));
      // What comes right behind a text belongs to it, as in what is pasted.
      for (let presses = 0, ended = 0; !isSent(); presses += 1) {
        assert.ok(presses < 120, `nothing was sent: ${screen()}`);
        // A turn that began before `aide mcp` did has no question: once more.
        if (turns().length > ended) type('question');
        ended = turns().length;
        await sleep(500);
        type('\r');
      }
      const session = await asked(scene, () => `nothing was asked: ${screen()}`);
      const hasReplied = () => requests.some(({ results }) => results.length > 0);
      await until(hasReplied, 'the model was not told that the questions are open');
      // It says how long the turn took when that, and the hooks at its end, are over: "✻ Worked for 1s".
      await until(() => /✻\s?\p{L}+\s?for\s?\d+s/u.test(screen()), () => `the turn does not end: ${screen()}`);
      const before = requests.length;
      const answered = performance.now();
      await answer(scene, session, [{ id: 1, chosen: 'b', note: 'because' }]);
      const woken = () => requests.slice(before).find(({ messages }) => JSON.stringify(messages).includes('Which?: The other one (note: because)'));
      const shares = [];
      const look = () => {
        shares.push(crowd());
        return woken();
      };
      await until(look, () => `the session was not woken: ${screen()}`);
      // As on a machine that does nothing else.
      const limit = 500 * (shares.reduce((sum, share) => sum + share) / shares.length);
      const took = woken().at - answered;
      assert.ok(took < limit, `woken after ${Math.round(took)} ms, of at most ${Math.round(limit)} ms`);
    });
  });

  test('AskUserQuestion is answered on the page', async () => {
    const options = [{ label: 'React (Recommended)', description: 'Known' }, { label: 'Vue', description: 'Smaller' }];
    const input = { questions: [{ question: 'Which framework?', header: 'Framework', multiSelect: false, options }] };
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--permission-prompt-tool', 'stdio'];
    const first = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'ask me' } })}\n`;
    const seen = await claude('AskUserQuestion', input, args, first, [{ id: 1, chosen: 'Vue', note: 'because' }]);
    assert.match(seen, /The user answered: .{0,4}Which framework\?.{0,6}Vue.{0,4} notes: because/);
  });
});
