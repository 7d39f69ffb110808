// `aide mcp` by the libraries that most clients are made with, each in the way that it begins by itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AIDE, Scene } from './lib/scene.mjs';

const INFO = { name: 'test', version: '1.0' };

/** What a client declares that shows links to the person. */
const LINKS = { capabilities: { elicitation: { form: {}, url: {} } } };

const CLIENTS = {
  'sdk 1.32': {
    make: (options) => new OldClient(INFO, options),
    Transport: OldTransport,
    Http: OldHttpTransport,
    call: (client, call, options) => client.callTool(call, undefined, options),
    onLink: (client, show) => client.setRequestHandler(ElicitRequestSchema, show),
  },
  'client 2.4, legacy': {
    make: (options) => new Client(INFO, options),
    Transport: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    onLink: (client, show) => client.setRequestHandler('elicitation/create', show),
  },
  'client 2.4, modern': {
    make: (options) => new Client(INFO, { ...options, versionNegotiation: { mode: 'auto' } }),
    Transport: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    onLink: (client, show) => client.setRequestHandler('elicitation/create', show),
  },
};

const items = (title) => [
  { id: 1, title, options: [{ value: 'a', label: 'The first' }, { value: 'b', label: 'The second' }] },
];
const questions = (task) => ({ task, source: 'notes.md', items: items(`Which ${task}?`) });

/** Lets a client of this kind do something in a project, and ends what it has left. */
async function played(name, play) {
  const { make, Transport, Http, call, onLink } = CLIENTS[name];
  const scene = new Scene();
  let client;
  let server;
  const connect = async (transport, show) => {
    client = make(show && LINKS);
    if (show) onLink(client, show);
    await client.connect(transport);
    const ask = (tool, given, options) => {
      const request = { name: tool, arguments: given };
      return call ? call(client, request, options) : client.callTool(request, options);
    };
    return { client, ask };
  };
  const stdio = (args) => new Transport({ command: AIDE, args: ['mcp', ...args], cwd: scene.project, env: scene.env });
  const begin = (...args) => connect(stdio(args));
  /** With a client that shows links by `show`. */
  const beginShowing = (show, ...args) => connect(stdio(args), show);
  const beginHttp = async () => {
    server = spawn(AIDE, ['mcp', '--http', '--port', '0'], { cwd: scene.project, env: scene.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout, 'data');
    const [link] = String(line).match(/http:\S+/);
    return connect(new Http(new URL(link)));
  };
  try {
    await scene.aide('init');
    await scene.aide('config', 'set', 'decide.port', '0');
    await play({ scene, begin, beginShowing, beginHttp });
  } finally {
    await client?.close();
    server?.kill();
    const page = join(scene.project, '.aide/decisions/server.json');
    try {
      process.kill(JSON.parse(readFileSync(page, 'utf8')).pid);
    } catch {
      // It has ended with its questions.
    }
    scene.remove();
  }
}

/** Submits the one set that is open on its page, to which `told` has the link. */
async function answer(scene, told) {
  const [link] = told.match(/http:\/\/localhost:\d+/);
  assert.equal((await fetch(link)).status, 200);
  const open = readdirSync(join(scene.project, '.aide/decisions/open')).filter((file) => !file.includes('draft'));
  assert.equal(open.length, 1);
  const body = JSON.stringify({ decisions: [{ id: 1, chosen: 'b', note: 'because' }] });
  const headers = { 'Content-Type': 'application/json' };
  const session = open[0].replace('.json', '');
  assert.equal((await fetch(`${link}/d/${session}/api/submit`, { method: 'POST', headers, body })).status, 200);
}

for (const name of Object.keys(CLIENTS)) {
  describe(name, () => {
    test('asks, gets the link to the page, and then the answer', () =>
      played(name, async ({ scene, begin }) => {
        const { client, ask } = await begin();
        const { tools } = await client.listTools();
        assert.equal(tools.length, 8);
        let answered;
        const onprogress = ({ message }) => (answered ??= answer(scene, message));
        const { structuredContent: told } = await ask('decide_submit', questions('held'), { onprogress });
        await answered;
        assert.equal(told.status, 'answered');
        assert.deepEqual(told.answers[0].labels, ['The second']);
        const { structuredContent: listed } = await ask('decide_list', { query: 'held' });
        assert.equal(listed.decisions[0].summary, 'Which held?: The second (note: because)');
        const { contents } = await client.readResource({ uri: 'aide://open' });
        assert.deepEqual(JSON.parse(contents[0].text), { open: [] });
        const { messages } = await client.getPrompt({ name: 'decided' });
        assert.match(messages[0].content.text, /The second/);
      }));

    test('gives up, and comes back to the same questions', () =>
      played(name, async ({ scene, begin }) => {
        const { client, ask } = await begin();
        await assert.rejects(ask('decide_submit', questions('late'), { timeout: 1000, onprogress: () => {} }));
        await client.close();
        const next = await begin('--hold', '1');
        const { structuredContent: pending } = await next.ask('decide_submit', questions('late'));
        assert.equal(pending.status, 'pending');
        await answer(scene, pending.url);
        const { structuredContent: told } = await next.ask('decide_wait', { session_id: pending.session_id });
        assert.deepEqual([told.status, told.session_id], ['answered', pending.session_id]);
      }));

    test('shows the link where it is asked to, and waits on', () =>
      played(name, async ({ scene, beginShowing }) => {
        let shown;
        let answered;
        const show = async ({ params }) => {
          assert.equal(params.mode, 'url');
          shown = params.url;
          // The person takes a moment to say that the page may be opened, and answers there later.
          await sleep(1200);
          answered = sleep(300).then(() => answer(scene, shown));
          return { action: 'accept' };
        };
        const { ask } = await beginShowing(show, '--elicit', 'url');
        const { structuredContent: told } = await ask('decide_submit', questions('shown'), { onprogress: () => {} });
        await answered;
        assert.match(shown, /^http:\/\/localhost:\d+/);
        assert.doesNotMatch(shown, /\/t\//);
        assert.deepEqual([told.status, told.answers[0].chosen], ['answered', ['b']]);
      }));

    test('asks over HTTP', () =>
      played(name, async ({ scene, beginHttp }) => {
        const { client, ask } = await beginHttp();
        assert.equal((await client.listTools()).tools.length, 8);
        let answered;
        const onprogress = ({ message }) => (answered ??= answer(scene, message));
        const { structuredContent: told } = await ask('decide_submit', questions('posted'), { onprogress });
        await answered;
        assert.deepEqual([told.status, told.answers[0].labels], ['answered', ['The second']]);
        const { contents } = await client.readResource({ uri: 'skill://aide/SKILL.md' });
        assert.match(contents[0].text, /^---\nname: aide/);
      }));

    test('queues, corrects and takes back', () =>
      played(name, async ({ begin }) => {
        const { ask } = await begin();
        const first = await ask('decide_submit', { ...questions('first'), wait: false });
        const second = await ask('decide_submit', { ...questions('second'), wait: false });
        const states = [first, second].map(({ structuredContent }) => structuredContent.status);
        assert.deepEqual(states, ['pending', 'queued']);
        const { session_id } = second.structuredContent;
        const amended = await ask('decide_amend', { ...questions('second'), items: items('Better?'), session_id });
        assert.notEqual(amended.structuredContent.session_id, session_id);
        const cancelled = await ask('decide_cancel', { session_id: amended.structuredContent.session_id });
        assert.equal(cancelled.structuredContent.status, 'cancelled');
        const refused = await ask('decide_submit', { task: 'x', items: [] });
        assert.equal(refused.isError, true);
        assert.match(refused.content[0].text, /source/);
      }));
  });
}
