// What `aide setup` writes, as the real agents read it: without a network, in a home that is empty.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AIDE, OPENCODE, Scene, run } from './lib/scene.mjs';

const SCOPES = ['--user', '--project'];

/** Begins at the root of a work tree, as agents do. */
async function scene(look) {
  const scene = new Scene();
  try {
    mkdirSync(join(scene.project, '.git'));
    await look(scene);
  } finally {
    scene.remove();
  }
}

async function setUp(scene, ...args) {
  const { code, stdout, stderr } = await scene.aide('setup', ...args, '--json');
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(stdout);
}

/** Runs an agent, in the project. */
async function ask(scene, program, ...args) {
  const { code, stdout, stderr } = await run(program, args, { cwd: scene.project, env: scene.env });
  assert.equal(code, 0, stdout + stderr);
  return stdout + stderr;
}

/** An `aide` that the entry of a project starts: it answers the first messages, and says what environment it has. */
function standIn(scene) {
  const script = `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(join(scene.folder, 'env.json'))}, JSON.stringify(process.env));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'aide', version: '0' } },
    'tools/list': { tools: [] },
    ping: {},
  };
  const result = answers[method];
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
`;
  const folder = join(scene.folder, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'aide'), script, { mode: 0o755 });
  scene.env.PATH = `${folder}:${scene.env.PATH}`;
}

describe('agents that were set up', { concurrency: 2 }, () => {
  for (const scope of SCOPES) {
    const command = scope === '--user' ? AIDE : 'aide';

    test(`codex ${scope}`, () =>
      scene(async (scene) => {
        if (scope === '--project') {
          // It follows the file of a project only where it trusts that.
          scene.write('home/.codex/config.toml', `[projects."${scene.project}"]\ntrust_level = "trusted"\n`);
        }
        await setUp(scene, 'codex', scope);
        const told = await ask(scene, 'codex', 'mcp', 'get', 'aide', '--json');
        const found = JSON.parse(told.slice(told.indexOf('{'), told.lastIndexOf('}') + 1));
        const { transport } = found;
        assert.deepEqual([transport.type, transport.command, transport.args], ['stdio', command, ['mcp']]);
        assert.deepEqual(transport.env, { AIDE_MCP_HOLD: '86390' });
        assert.ok(transport.env_vars.includes('DBUS_SESSION_BUS_ADDRESS'), told);
        assert.equal(found.tool_timeout_sec, 86400);
      }));

    test(`claude ${scope}`, () =>
      scene(async (scene) => {
        standIn(scene);
        await setUp(scene, 'claude', scope);
        const told = await ask(scene, 'claude', 'mcp', 'get', 'aide');
        assert.ok(told.includes(`Command: ${command}`) && told.includes('Args: mcp'), told);
        assert.match(told, scope === '--user' ? /Scope: User/ : /Scope: Project/);
        assert.ok(told.includes('Timeout: 86400000ms') && told.includes('AIDE_MCP_HOLD=86390'), told);
        // It has written into its file meanwhile, and that stays.
        const file = scope === '--user' ? join(scene.home, '.claude.json') : join(scene.project, '.mcp.json');
        const { mcpServers, ...others } = JSON.parse(readFileSync(file, 'utf8'));
        assert.ok(mcpServers.aide);
        await setUp(scene, scope, '--remove');
        const left = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
        assert.deepEqual(left, others);
      }));

    test(`gemini ${scope}`, () =>
      scene(async (scene) => {
        standIn(scene);
        scene.env.XAUTHORITY = '/run/xauthority';
        scene.write('home/.gemini/trustedFolders.json', JSON.stringify({ [scene.project]: 'TRUST_FOLDER' }));
        await setUp(scene, 'gemini', scope);
        const told = await ask(scene, 'gemini', 'mcp', 'list');
        assert.ok(told.includes(`aide: ${command} mcp (stdio)`), told);
        if (scope === '--project') {
          assert.match(told, /aide: .*Connected/);
          const { AIDE_MCP_HOLD, XAUTHORITY } = JSON.parse(readFileSync(join(scene.folder, 'env.json'), 'utf8'));
          assert.deepEqual([AIDE_MCP_HOLD, XAUTHORITY], ['86390', '/run/xauthority']);
        }
      }));

    const skip = !existsSync(OPENCODE) && 'there is no opencode for this system';
    test(`opencode ${scope}`, { skip }, () =>
      scene(async (scene) => {
        standIn(scene);
        await setUp(scene, 'opencode', scope);
        const told = await ask(scene, 'opencode', 'mcp', 'list');
        assert.ok(told.includes(`${command} mcp`), told);
        if (scope === '--project') assert.match(told, /aide.*connected/);
      }));
  }

  test('all that is written goes again', () =>
    scene(async (scene) => {
      await setUp(scene, 'claude', 'codex', 'gemini', 'opencode', '--project');
      await setUp(scene, '--project', '--remove');
      assert.deepEqual((await run('find', ['.', '-type', 'f'], { cwd: scene.project, env: scene.env })).stdout, '');
    }));
});

const plugin = new URL('../../plugin', import.meta.url).pathname;
const repository = new URL('../..', import.meta.url).pathname;

describe('the plugin', { concurrency: 2 }, () => {
  test('is one to claude', () =>
    scene(async (scene) => {
      for (const path of [plugin, repository]) {
        assert.match(await ask(scene, 'claude', 'plugin', 'validate', path), /Validation passed/);
      }
    }));

  test('is one to gemini', () =>
    scene(async (scene) => {
      assert.match(await ask(scene, 'gemini', 'extensions', 'validate', plugin), /successfully validated/);
    }));

  test('is one to codex', () =>
    scene(async (scene) => {
      await ask(scene, 'codex', 'plugin', 'marketplace', 'add', repository);
      await ask(scene, 'codex', 'plugin', 'add', 'aide@aide');
      const told = await ask(scene, 'codex', 'plugin', 'list');
      assert.match(told, /aide@aide.*(installed|enabled)/);
    }));
});
