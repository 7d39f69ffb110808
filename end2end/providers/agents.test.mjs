// The real agents, in a home with what `aide setup` has written there, and nothing else of `aide`: each calls `decide_submit`,
// the person answers, and the agent goes on with the answer. Their models are stand-ins on loopback.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { model } from './lib/model.mjs';
import { answer, answerInTerminal, asked, decisions, endPage, open } from './lib/person.mjs';
import { KEY, opencodeConfig } from './lib/programs.mjs';
import { OPENCODE, Scene, run } from './lib/scene.mjs';

const onPage = (scene, session) => answer(scene, session, [{ id: 1, chosen: 'b', note: 'because' }]);
const inTerminal = (scene, session) => answerInTerminal(scene, session, ['2', 'because']);

/**
 * By the names that `aide setup` has for them. `tool` is the name that the model gets `decide_submit` by, `client` the one that
 * the agent gives itself. `start` says with which variables and arguments it is led to the stand-in at `url`.
 */
const AGENTS = {
  claude: {
    tool: 'mcp__aide__decide_submit',
    client: 'claude-code',
    answers: onPage,
    start: ({ url }) => ({
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        // On a busy machine servers take longer to begin than it waits for them with its first request.
        CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '60000',
      },
      args: ['-p', 'ask me'],
    }),
  },
  codex: {
    tool: 'mcp__aide/decide_submit',
    client: 'codex-mcp-client',
    answers: inTerminal,
    start: ({ url }) => {
      const provider = { name: 'mock', base_url: `${url}/v1`, wire_api: 'responses', env_key: 'OPENAI_API_KEY' };
      const table = Object.entries(provider).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      const settings = [
        'model="gpt-5"',
        'model_provider="mock"',
        `model_providers.mock={${table.join(',')},supports_websockets=false}`,
        'check_for_update_on_startup=false',
        'analytics.enabled=false',
      ];
      const args = ['exec', '--skip-git-repo-check', ...settings.flatMap((setting) => ['-c', setting]), 'ask me'];
      return { env: { OPENAI_API_KEY: KEY }, args };
    },
  },
  gemini: {
    tool: 'mcp_aide_decide_submit',
    client: 'gemini-cli-mcp-client',
    answers: onPage,
    start: ({ scene, url }) => {
      // What the person says at the first start: that the folder is trusted, and how to log in.
      scene.write('home/.gemini/trustedFolders.json', JSON.stringify({ [scene.project]: 'TRUST_FOLDER' }));
      scene.write('home/.gemini/settings.json', JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }));
      return {
        env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url },
        args: ['-p', 'ask me', '-m', 'gemini-2.5-pro'],
      };
    },
  },
  opencode: {
    tool: 'aide_decide_submit',
    client: 'opencode',
    answers: inTerminal,
    start: ({ url }) => ({ env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)) }, args: ['run', 'ask me'] }),
  },
};

const options = [{ value: 'a', label: 'The first' }, { value: 'b', label: 'The other one' }];
const QUESTIONS = { task: 'Choose', source: 'notes.md', items: [{ id: 1, title: 'Which?', options }] };

/** Lets an agent ask in a work tree where nothing was asked before, and answers. */
async function played(name) {
  const { tool, client, answers, start } = AGENTS[name];
  const scene = new Scene();
  const standIn = await model(name, tool, QUESTIONS);
  let child;
  try {
    await run('git', ['init', '--quiet'], { cwd: scene.project, env: scene.env });
    scene.write('home/.config/aide/config.toml', '[decide]\nport = 0\n');
    const { env, args } = start({ scene, url: standIn.url });
    const { code, stdout, stderr } = await scene.aide('setup', name, '--user');
    assert.equal(code, 0, stdout + stderr);
    child = spawn(name, args, { cwd: scene.project, env: { ...scene.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { out: '', err: '' };
    child.stdout.on('data', (bytes) => (said.out += bytes));
    child.stderr.on('data', (bytes) => (said.err += bytes));
    const ended = once(child, 'close');
    const told = () => {
      const requests = standIn.requests.map(({ tools, results }) => ({ tools, results }));
      return `${name}: ${JSON.stringify(requests)} ${said.out} ${said.err}`;
    };

    const session = await asked(scene, told);
    const asks = standIn.requests.filter(({ tools }) => tools.includes(tool));
    assert.equal(asks.length, 1, told());
    assert.deepEqual(open(scene), [session]);
    await answers(scene, session);

    const [status] = await ended;
    assert.equal(status, 0, told());
    assert.match(said.out, /done/);
    // What the model gets next is the answer, and it is asked for nothing else.
    const after = standIn.requests.filter(({ results }) => results.length > 0);
    assert.ok(after.length > 0, told());
    const result = JSON.stringify(after[0].results);
    for (const word of ['answered', session, 'The other one', 'because']) {
      assert.ok(result.includes(word), `no ${word}: ${told()}`);
    }

    const receipt = JSON.parse(readFileSync(join(decisions(scene), `receipts/${session}.json`), 'utf8'));
    assert.deepEqual(Object.values(receipt.askers).map((asker) => asker.client), [client]);
  } finally {
    child?.kill('SIGKILL');
    standIn.close();
    endPage(scene);
    scene.remove();
  }
}

describe('agents that ask', { concurrency: 2 }, () => {
  for (const name of Object.keys(AGENTS)) {
    const skip = name === 'opencode' && !existsSync(OPENCODE) && 'there is no opencode for this system';
    test(`${name} goes on with the answer`, { skip }, () => played(name));
  }
});
