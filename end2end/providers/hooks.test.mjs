// What `aide setup --hook` writes, as the real Claude Code follows it: its model is a stand-in on loopback.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Scene } from './lib/scene.mjs';

/** A model that calls one tool, and keeps every message that it is sent. */
async function model(name, input) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST' || !request.url.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      response.writeHead(404).end();
      return;
    }
    const { tools = [], messages, model } = JSON.parse(body);
    seen.push(...messages);
    const isTold = messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'tool_result'));
    const calls = !isTold && tools.some((tool) => tool.name === name);
    const block = calls ? { type: 'tool_use', id: 'toolu_1', name, input: {} } : { type: 'text', text: '' };
    const delta = calls ? { type: 'input_json_delta', partial_json: JSON.stringify(input) } : { type: 'text_delta', text: 'done' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Runs Claude Code with its hooks, and answers what it asks once that is open. Returns all that the model was sent. */
async function claude(tool, input, args, first, answers) {
  const scene = new Scene();
  const standIn = await model(tool, input);
  let child;
  try {
    mkdirSync(join(scene.project, '.git'));
    await scene.aide('init');
    await scene.aide('config', 'set', 'decide.port', '0');
    const { code, stderr } = await scene.aide('setup', 'claude', '--user', '--hook');
    assert.equal(code, 0, stderr);
    const env = {
      ...scene.env,
      ANTHROPIC_BASE_URL: standIn.url,
      ANTHROPIC_API_KEY: 'sk-none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
    };
    child = spawn('claude', args, { cwd: scene.project, env, stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'close');
    if (first) child.stdin.write(first);
    else child.stdin.end();
    const decisions = join(scene.project, '.aide/decisions');
    const open = () => (existsSync(join(decisions, 'open')) ? readdirSync(join(decisions, 'open')) : []);
    const isAsked = () => existsSync(join(decisions, 'server.json')) && open().some((name) => name.endsWith('.json'));
    for (let looks = 0; !isAsked(); looks += 1) {
      assert.ok(looks < 600, 'nothing was asked');
      await sleep(100);
    }
    const session = open().find((name) => name.endsWith('.json')).slice(0, -'.json'.length);
    const { port } = JSON.parse(readFileSync(join(decisions, 'server.json'), 'utf8'));
    const answered = await fetch(`http://localhost:${port}/d/${session}/api/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ decisions: answers }),
    });
    assert.equal(answered.status, 200);
    const isDelivered = () => readFileSync(join(decisions, `receipts/${session}.json`), 'utf8').includes('delivered_at');
    for (let looks = 0; !(isDelivered() && standIn.seen.length > 1); looks += 1) {
      assert.ok(looks < 300, 'the answer was not delivered');
      await sleep(100);
    }
    child.stdin.end();
    await ended;
    return JSON.stringify(standIn.seen);
  } finally {
    child?.kill('SIGKILL');
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

  test('AskUserQuestion is answered on the page', async () => {
    const options = [{ label: 'React (Recommended)', description: 'Known' }, { label: 'Vue', description: 'Smaller' }];
    const input = { questions: [{ question: 'Which framework?', header: 'Framework', multiSelect: false, options }] };
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--permission-prompt-tool', 'stdio'];
    const first = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'ask me' } })}\n`;
    const seen = await claude('AskUserQuestion', input, args, first, [{ id: 1, chosen: 'Vue', note: 'because' }]);
    assert.match(seen, /The user answered: .{0,4}Which framework\?.{0,6}Vue.{0,4} notes: because/);
  });
});
