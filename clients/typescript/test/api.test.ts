// What is asked over HTTP, and how it goes wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FingerApiError, type FingerClient, FingerConnectionError, FingerTimeoutError } from '../src/index.js';
import { pair } from './support/clients.js';

test('each call asks what the contract says', async (context) => {
  const { daemon, client } = await pair(context);
  const rows: [(client: FingerClient) => Promise<unknown>, string, unknown, unknown, unknown][] = [
    [
      (client) => client.orchestrate('搜索 deepseek'),
      'POST /api/v1/message',
      { target: 'finger-orchestrator', message: { content: '搜索 deepseek', projectPath: process.cwd() }, blocking: false },
      { messageId: 'msg-1', workflowId: 'wf-1', sessionId: 'session-1', status: 'queued' },
      { messageId: 'msg-1', workflowId: 'wf-1', sessionId: 'session-1' },
    ],
    [
      (client) => client.orchestrate('x', { blocking: true, sessionId: 's', projectPath: '/p' }),
      'POST /api/v1/message',
      { target: 'finger-orchestrator', message: { content: 'x', sessionId: 's', projectPath: '/p' }, blocking: true },
      { messageId: 'msg-1', status: 'completed', result: { output: 'o' } },
      { messageId: 'msg-1', workflowId: 'msg-1', result: { output: 'o' } },
    ],
    [
      // A session that is there has its own folder.
      (client) => client.orchestrate('x', { sessionId: 's' }),
      'POST /api/v1/message',
      { target: 'finger-orchestrator', message: { content: 'x', sessionId: 's' }, blocking: false },
      { messageId: 'msg-1', workflowId: 'wf-1', status: 'queued' },
      { messageId: 'msg-1', workflowId: 'wf-1' },
    ],
    [(client) => client.sendInput('wf', 'hi'), 'POST /api/v1/workflow/input', { workflowId: 'wf', input: 'hi' }, {}, {}],
    [(client) => client.pause('wf'), 'POST /api/v1/workflow/pause', { workflowId: 'wf' }, {}, {}],
    [
      (client) => client.pause('wf', { hard: true }),
      'POST /api/v1/workflow/pause',
      { workflowId: 'wf', hard: true },
      {},
      {},
    ],
    [(client) => client.resume('wf'), 'POST /api/v1/workflow/resume', { workflowId: 'wf' }, {}, {}],
    [(client) => client.cancel('wf'), 'POST /api/v1/workflow/cancel', { workflowId: 'wf' }, {}, {}],
    [(client) => client.getStatus('w/f'), 'GET /api/v1/workflows/w%2Ff/state', undefined, { fsmState: 'idle' }, { fsmState: 'idle' }],
    [(client) => client.listWorkflows(), 'GET /api/v1/workflows/state', undefined, { snapshots: [1] }, [1]],
    [(client) => client.createDecision({ message: 'Go on?' }), 'POST /api/v1/decision', { message: 'Go on?' }, {}, {}],
    [(client) => client.listAgents(), 'GET /api/v1/agents', undefined, [{ id: 'a' }], [{ id: 'a' }]],
    [(client) => client.listAgents(), 'GET /api/v1/agents', undefined, { agents: [{ id: 'a' }] }, [{ id: 'a' }]],
    [
      (client) => client.getAgentCapabilities('executor-1'),
      'GET /api/v1/agents/executor-1/capabilities',
      undefined,
      { agentId: 'executor-1', capabilities: ['web_search'], details: [] },
      ['web_search'],
    ],
    [(client) => client.listResumableSessions(), 'GET /api/v1/sessions/resumable', undefined, { sessions: [] }, []],
    [(client) => client.resumeSession('s'), 'POST /api/v1/sessions/s/resume', {}, {}, {}],
    [(client) => client.resumeSession('s', 'chk'), 'POST /api/v1/sessions/s/resume', { checkpointId: 'chk' }, {}, {}],
  ];
  for (const [call, route, body, answer, expected] of rows) {
    daemon.answers.set(route, () => ({ status: 200, body: answer }));
    assert.deepEqual(await call(client), expected, route);
    const { method, path, body: sent, key } = daemon.requests.at(-1) ?? assert.fail();
    assert.equal(`${method} ${path}`, route);
    assert.deepEqual(sent, body, route);
    assert.equal(key !== undefined, method === 'POST', route);
  }
});

test('a list is asked for in parts', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.answers.set('GET /api/v1/workflows/state', ({ query }) => {
    const isFirst = query.get('cursor') === null;
    const headers = isFirst ? { 'next-cursor': 'c1' } : undefined;
    return { status: 200, body: { snapshots: [isFirst ? 1 : 2] }, ...(headers && { headers }) };
  });
  const first = await client.listWorkflowsPart({ limit: 1 });
  assert.deepEqual(first, { workflows: [1], next: 'c1' });
  assert.equal(daemon.requests.at(-1)?.query.toString(), 'limit=1');
  const second = await client.listWorkflowsPart({ limit: 1, cursor: first.next ?? assert.fail() });
  assert.deepEqual(second, { workflows: [2] });
  assert.equal(daemon.requests.at(-1)?.query.toString(), 'limit=1&cursor=c1');
});

test('the history is asked for as it is wanted', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.emit('task_started');
  const events = await client.getEventHistory({ type: 'task_*', group: 'TASK', limit: 5 });
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [1],
  );
  assert.equal(daemon.requests[0]?.query.toString(), 'type=task_*&group=TASK&limit=5');
  assert.equal(await client.getEventHistory().then(({ length }) => length), 1);
  assert.equal(daemon.requests[1]?.query.size, 0);
});

test('a refusal says its status, its code and what it is about', async (context) => {
  const { daemon, client } = await pair(context);
  const body = { error: 'Workflow already paused', code: 'WORKFLOW_ALREADY_PAUSED', details: { currentState: 'paused' } };
  daemon.answers.set('POST /api/v1/workflow/pause', () => ({ status: 409, body }));
  await assert.rejects(client.pause('wf'), (error) => {
    assert.ok(error instanceof FingerApiError);
    assert.equal(error.message, `API error: 409 - ${JSON.stringify(body)}`);
    const { status, code, reason, details } = error;
    assert.deepEqual({ status, code, reason, details }, { status: 409, code: body.code, reason: body.error, details: body.details });
    return true;
  });
  daemon.answers.set('POST /api/v1/workflow/pause', () => ({ status: 502, body: '<html>' }));
  await assert.rejects(client.pause('wf'), (error) => {
    assert.ok(error instanceof FingerApiError);
    assert.equal(error.message, 'API error: 502 - <html>');
    assert.equal(error.code, undefined);
    return true;
  });
  daemon.answers.set('POST /api/v1/workflow/pause', () => ({ status: 200, body: '<html>' }));
  await assert.rejects(client.pause('wf'), FingerConnectionError);
});

test('a request whose answer is lost is sent again, and done once', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.loseAnswers = 2;
  const { workflowId } = await client.orchestrate('x');
  assert.equal(workflowId, 'wf-1');
  assert.equal(new Set(daemon.requests.map(({ key }) => key)).size, 1);
  assert.deepEqual(daemon.done, ['POST /api/v1/message']);
  await client.orchestrate('x');
  assert.equal(new Set(daemon.requests.map(({ key }) => key)).size, 2);
});

test('a request that is lost every time is not sent for ever', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.loseRequests = 3;
  await assert.rejects(client.orchestrate('x'), FingerConnectionError);
  assert.equal(daemon.loseRequests, 0);
  daemon.loseRequests = 2;
  await client.orchestrate('x');
});

test('a decision is waited for until it has ended, or the time is up', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.ask('decision-1');
  const route = 'GET /api/v1/decision/decision-1';
  const view = daemon.decisions.get('decision-1');
  // Once it is still pending after the longest that one request waits.
  const views = [view, { ...view, status: 'answered', response: 'Y' }];
  daemon.answers.set(route, () => ({ status: 200, body: views.shift() }));
  const { status, response } = await client.waitForDecision('decision-1');
  assert.deepEqual([status, response], ['answered', 'Y']);
  assert.equal(daemon.requests[0]?.query.get('wait'), '20');
  daemon.answers.set(route, () => new Promise(() => {}));
  await assert.rejects(client.waitForDecision('decision-1', 5), (error) => {
    assert.ok(error instanceof FingerTimeoutError);
    assert.equal(error.message, 'Decision timeout');
    return true;
  });
  await assert.rejects(client.waitForDecision('decision-2'), (error) => error instanceof FingerApiError && error.status === 404);
});
