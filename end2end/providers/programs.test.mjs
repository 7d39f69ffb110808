// The real programs behind the presets, without a network: `aide agent exec` asks each, and each asks a mock.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ANSWER, EMOJI, start } from './lib/mock.mjs';
import { KEY, PROGRAMS } from './lib/programs.mjs';
import { OPENCODE, Scene, files } from './lib/scene.mjs';

/** What a program that is led to a mock of this kind makes of a command. */
async function played(name, scenario, look, { isTrusted = true, isAsked = true } = {}) {
  const program = PROGRAMS[name];
  const mock = await start(scenario, program);
  const scene = new Scene();
  try {
    const variables = program.home(scene.home, mock.url);
    Object.assign(scene.env, variables);
    const keys = [`name = "${name}"`, 'kind = "command"', `preset = "${name}"`];
    // One that hangs is ended, with all that it has started.
    keys.push('timeout = 120', `pass_env = ${JSON.stringify(Object.keys(variables))}`);
    if (program.model) keys.push(`model = "${program.model}"`);
    await scene.prepare(keys);
    if (isTrusted && name === 'gemini') assert.equal((await scene.aide('trust')).code, 0);
    await look({ scene, mock, ...(isAsked ? await scene.exec() : {}) });
    assert.deepEqual(readdirSync(scene.project).sort(), ['.aide', 'command.json']);
    for (const folder of program.sessions) {
      assert.deepEqual(files(`${scene.home}/${folder}`).filter((file) => file.endsWith('.jsonl')), [], 'a session is kept');
    }
  } finally {
    await mock.stop();
    scene.remove();
  }
}

function answered({ code, stdout, stderr }, answer) {
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).result, answer);
}

function failed({ code, stdout, stderr }, ...words) {
  assert.deepEqual([code, stdout], [1, ''], stderr);
  // The lines before it report the retries.
  assert.match(stderr.replace(/^→ .*\n/gm, ''), /^✗ LLM_FAILED: /);
  for (const word of words) assert.ok(stderr.includes(word), stderr);
}

/** Whether a program can be used, as `aide provider check` says it. */
async function checked({ scene }, name) {
  const { code, stdout } = await scene.aide('provider', 'check', name, '--json');
  assert.ok(!stdout.includes(KEY));
  const told = JSON.parse(stdout);
  const status = Object.fromEntries(told.findings.map((finding) => [finding.check, finding.status]));
  return { code, told, status, answer: told.findings.find((finding) => finding.check === 'answer') };
}

const all = Object.keys(PROGRAMS);
// opencode tries again by itself, for as long as it may.
const patient = ['claude', 'codex', 'gemini'];

const cases = {
  'answers, and what it cost is known': [all, 'answer', async (done, name) => {
    answered(done, ANSWER);
    const [call] = done.scene.calls();
    assert.deepEqual([call.input_tokens, call.output_tokens, call.attempts], [120, 7, 1]);
    // It takes its time to begin, for each of the findings.
    if (name === 'opencode') return;
    const { code, told, status } = await checked(done, name);
    assert.equal(code, 0);
    assert.deepEqual([told.answer.text, told.answer.input_tokens], [ANSWER, 120]);
    // Codex has its key in a configuration of its own.
    const expected = {
      claude: { program: 'ok', version: 'ok', login: 'ok' },
      codex: { program: 'ok', version: 'ok', login: 'warn' },
      gemini: { program: 'ok', version: 'ok', folder: 'ok' },
    };
    assert.deepEqual(status, { ...expected[name], answer: 'ok', usage: 'ok' });
  }],
  'answers in chunks of one character': [all, 'emoji', (done) => answered(done, EMOJI)],
  'is asked once with a key that is wrong': [all, 'key', (done) => {
    failed(done, 'hint: ', 'log in with the program itself, or pass it its key');
    assert.equal(done.scene.calls().length, 1);
  }],
  'is asked again when it was busy': [patient, 'busy-once', (done) => {
    answered(done, ANSWER);
    assert.equal(done.scene.calls().at(-1).attempts, 2);
  }],
  'is asked again for half of an answer, which is none': [patient, 'cut', (done) => {
    failed(done, 'try again later');
    assert.ok(done.mock.getRequests().length > 1, 'it was asked once');
  }],
  'gives no answer that is cut at its greatest length': [['claude', 'opencode'], 'length', (done, name) => {
    failed(done, name === 'claude' ? 'output token maximum' : 'max_tokens');
  }],
};

describe('real programs', { concurrency: 2 }, () => {
  for (const [what, [names, scenario, look]] of Object.entries(cases)) {
    for (const name of names) {
      const skip = name === 'opencode' && !existsSync(OPENCODE) && 'there is no opencode for this system';
      test(`${name} ${what}`, { skip }, () => played(name, scenario, (done) => look(done, name)));
    }
  }

  for (const [name, scenario] of [['claude', 'busy'], ['claude', 'overloaded'], ['codex', 'busy']]) {
    test(`${name} that is ${scenario} is told to be`, () =>
      played(name, scenario, async (done) => {
        const { code, answer } = await checked(done, name);
        assert.deepEqual([code, answer.status, answer.hint], [1, 'fail', 'try again later'], answer.message);
      }, { isAsked: false }));
  }

  test('gemini works in no folder that is not trusted', () =>
    played('gemini', 'answer', (done) => failed(done, 'not running in a trusted directory', 'run aide trust in the project'), {
      isTrusted: false,
    }));
});
