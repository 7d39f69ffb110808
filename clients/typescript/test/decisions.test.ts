// Decisions: each asked once, withdrawn when it has ended elsewhere, and no answer lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, FingerApiError, type FingerEvent } from '../src/index.js';
import { pair, until } from './support/clients.js';

/** A handler that answers when the test says so. */
function deferred() {
  const asked: { decision: Decision; signal: AbortSignal; answer: (answer?: string) => void; fail: (error: Error) => void }[] = [];
  const handler = (decision: Decision, signal: AbortSignal) =>
    new Promise<string | undefined>((answer, fail) => asked.push({ decision: { ...decision }, signal, answer, fail }));
  return { asked, handler };
}

test('a decision goes to the handler and to subscribers, and the answer to the daemon', async (context) => {
  const { daemon, client } = await pair(context);
  const told: FingerEvent[] = [];
  const asked: Decision[] = [];
  client.subscribe(['user_decision_*'], (event) => told.push(event));
  client.onDecision((decision) => {
    asked.push(decision);
    return 'Y';
  }, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1', '检测到网络访问，是否继续？');
  await until(() => told.length === 2);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['user_decision_required', 'user_decision_received'],
  );
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.message, '检测到网络访问，是否继续？');
  assert.deepEqual(asked[0]?.options, ['Y', 'n']);
  assert.equal(daemon.decisions.get('decision-1')?.response, 'Y');
});

test('a decision without options has none', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1', 'Which?', null);
  await until(() => asked.length === 1);
  assert.equal('options' in (asked[0]?.decision ?? { options: 0 }), false);
});

test('what was asked before somebody connects, or is there to answer, is asked then', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  daemon.ask('decision-1');
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  await until(() => asked.length === 1);
  daemon.ask('decision-2');
  await until(() => asked.length === 2);
  // Another one takes over.
  const later = deferred();
  client.onDecision(later.handler, { of: 'all' });
  await until(() => later.asked.length === 2);
  assert.ok(asked.every(({ signal }) => signal.aborted));
  assert.deepEqual(
    later.asked.map(({ decision }) => decision.decisionId),
    ['decision-1', 'decision-2'],
  );
});

test('nothing is asked twice, however often it is told and however often the connection is lost', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  let transitions = 0;
  client.subscribe('phase_transition', () => (transitions += 1));
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.repeats = true;
  daemon.ask('decision-1');
  for (let round = 1; round <= 3; round += 1) {
    daemon.emit('user_decision_required', { decisionId: 'decision-1', message: 'Go on?', options: ['Y', 'n'] });
    daemon.cut();
    daemon.emit('phase_transition', { from: 'execution', to: 'review' });
    await until(() => transitions === round);
    const { length } = daemon.requests.filter(({ path }) => path === '/api/v1/decision');
    await until(() => daemon.requests.filter(({ path }) => path === '/api/v1/decision').length >= Math.min(length, round));
  }
  await until(() => asked.length === 1);
  asked[0]?.answer('Y');
  await until(() => daemon.decisions.get('decision-1')?.status === 'answered');
  daemon.cut();
  daemon.emit('phase_transition', { from: 'review', to: 'completed' });
  await until(() => transitions === 4);
  assert.equal(asked.length, 1);
});

test('a decision that is answered elsewhere is withdrawn, and what the handler says then does not count', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  daemon.ask('decision-2');
  await until(() => asked.length === 2);
  daemon.decide('decision-1', 'n');
  daemon.decide('decision-2', 'n');
  await until(() => asked.every(({ signal }) => signal.aborted));
  asked[0]?.answer('Y');
  asked[1]?.fail(new Error('withdrawn'));
  await client.getDecision('decision-1');
  assert.deepEqual(errors, []);
  assert.ok(!daemon.requests.some(({ path }) => path.endsWith('/respond')));
});

test('a decision that was answered while there was no connection is withdrawn too', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  daemon.cutSockets();
  const view = daemon.decisions.get('decision-1');
  assert.ok(view);
  // No event is sent: these events are not kept any more.
  daemon.decisions.set('decision-1', { ...view, status: 'expired' });
  await until(() => asked[0]?.signal.aborted);
});

test('what has been decided by the time it is told is not asked', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  let received = 0;
  client.onDecision(handler, { of: 'all' });
  client.subscribe('user_decision_received', () => (received += 1));
  await client.connect();
  daemon.cutSockets();
  daemon.ask('decision-1');
  daemon.decide('decision-1', 'Y');
  await until(() => received === 1);
  const looked = () => daemon.done.filter((route) => route === 'GET /api/v1/decision/decision-1').length;
  await until(() => looked() === 1);
  // Also where its end is not told yet.
  daemon.emit('user_decision_required', { decisionId: 'decision-1', message: 'Go on?', options: ['Y', 'n'] });
  await until(() => looked() === 2);
  daemon.ask('decision-2');
  await until(() => asked.length > 0);
  assert.deepEqual(
    asked.map(({ decision }) => decision.decisionId),
    ['decision-2'],
  );
});

test('who says nothing leaves the decision to others, and is not asked again', async (context) => {
  const { daemon, client } = await pair(context);
  const asked: string[] = [];
  client.onDecision(({ decisionId }) => void asked.push(decisionId), { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  daemon.cutSockets();
  await until(() => daemon.connections === 2 && client.getConnectionState() === 'connected');
  daemon.ask('decision-2');
  await until(() => asked.length === 2);
  assert.deepEqual(asked, ['decision-1', 'decision-2']);
  assert.equal(daemon.decisions.get('decision-1')?.status, 'pending');
  // Others are those who come to answer now.
  client.onDecision(() => 'n', { of: 'all' });
  await until(() => daemon.decisions.get('decision-1')?.response === 'n');
});

test('a handler that fails is reported, once, and answers the next one', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const failure = new Error('no terminal');
  const asked: string[] = [];
  client.onDecision(({ decisionId }) => {
    asked.push(decisionId);
    if (decisionId === 'decision-1') throw failure;
    return 'Y';
  }, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => errors.length === 1);
  daemon.cutSockets();
  daemon.ask('decision-2');
  await until(() => daemon.decisions.get('decision-2')?.status === 'answered');
  assert.deepEqual(asked, ['decision-1', 'decision-2']);
  assert.deepEqual(errors, [failure]);
});

test('an answer that is none is asked for again, with the reason', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  asked[0]?.answer('maybe');
  await until(() => asked.length === 2);
  assert.equal(asked[0]?.decision.refused, undefined);
  assert.equal(asked[1]?.decision.refused, 'No option: maybe');
  asked[1]?.answer('n');
  await until(() => daemon.decisions.get('decision-1')?.response === 'n');
  const keys = daemon.requests.filter(({ path }) => path.endsWith('/respond')).map(({ key }) => key);
  assert.equal(new Set(keys).size, 2);
});

test('who never answers as asked is not asked for ever', async (context) => {
  const { daemon, client, errors } = await pair(context);
  let asked = 0;
  client.onDecision(() => {
    asked += 1;
    return 'maybe';
  }, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => errors.length === 1);
  assert.ok(errors[0] instanceof FingerApiError && errors[0].code === 'INVALID_RESPONSE');
  assert.equal(asked, 5);
});

test('an answer that comes too late is nothing to report', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  daemon.hold();
  daemon.decide('decision-1', 'n');
  asked[0]?.answer('Y');
  await until(() => daemon.requests.some(({ path }) => path.endsWith('/respond')));
  daemon.release();
  daemon.ask('decision-2');
  await until(() => asked.length === 2);
  assert.equal(daemon.decisions.get('decision-1')?.response, 'n');
  assert.deepEqual(errors, []);
});

test('an answer that is given while the daemon is away reaches it once it is back', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  await daemon.kill();
  asked[0]?.answer('Y');
  await until(() => client.getConnectionState() === 'reconnecting');
  await daemon.listen();
  await until(() => daemon.decisions.get('decision-1')?.status === 'answered');
  assert.equal(asked.length, 1);
  assert.deepEqual(errors, []);
});

test('an answer that is lost on its way is sent until it has arrived, and counts once', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const { asked, handler } = deferred();
  client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  // No event tells the client that its answer has arrived.
  daemon.hold();
  daemon.loseAnswers = 5;
  asked[0]?.answer('Y');
  await until(() => daemon.loseAnswers === 0);
  await until(() => daemon.requests.filter(({ path }) => path.endsWith('/respond')).length === 6);
  assert.deepEqual(
    daemon.done.filter((route) => route.endsWith('/respond')),
    ['POST /api/v1/decision/decision-1/respond'],
  );
  assert.deepEqual(errors, []);
});

test('leaving withdraws what is asked, and who is no handler any more is not asked', async (context) => {
  const { daemon, client } = await pair(context);
  const { asked, handler } = deferred();
  const stop = client.onDecision(handler, { of: 'all' });
  await client.connect();
  daemon.ask('decision-1');
  await until(() => asked.length === 1);
  await client.disconnect();
  assert.ok(asked[0]?.signal.aborted);
  await client.connect();
  await until(() => asked.length === 2);
  stop();
  assert.ok(asked[1]?.signal.aborted);
  await until(() => daemon.wanted?.length === 0);
});

test('a handler answers for its own workflows alone, and for what its client has asked', async (context) => {
  const { daemon, client } = await pair(context);
  const asked: string[] = [];
  client.onDecision(({ decisionId }) => {
    asked.push(decisionId);
    return 'Y';
  });
  await client.connect();
  // A workflow of another client waits, and this one is begun only afterwards.
  daemon.ask('foreign');
  await until(() => daemon.requests.some(({ path }) => path === '/api/v1/decision/foreign'));
  daemon.answers.set('POST /api/v1/message', () => ({
    status: 200,
    body: { messageId: 'msg-2', workflowId: 'wf-2', status: 'queued' },
  }));
  await client.orchestrate('x');
  daemon.ask('own', 'Go on?', ['Y', 'n'], 'wf-2');
  await until(() => daemon.decisions.get('own')?.status === 'answered');
  daemon.answers.set('POST /api/v1/decision', () => ({ status: 200, body: { decisionId: 'mine', status: 'pending' } }));
  await client.createDecision({ message: 'Mine?' });
  daemon.ask('mine', 'Mine?');
  await until(() => daemon.decisions.get('mine')?.status === 'answered');
  assert.deepEqual(asked, ['own', 'mine']);
  assert.equal(daemon.decisions.get('foreign')?.status, 'pending');
});

test('a handler answers for others where an option says so', async (context) => {
  const { daemon, client } = await pair(context);
  const asked: string[] = [];
  const handler = ({ decisionId }: Decision) => {
    asked.push(decisionId);
    return 'Y';
  };
  daemon.ask('first');
  daemon.ask('second', 'Go on?', ['Y', 'n'], 'wf-2');
  client.onDecision(handler, { of: ['wf-2'] });
  await client.connect();
  await until(() => daemon.decisions.get('second')?.status === 'answered');
  assert.deepEqual(asked, ['second']);
  client.onDecision(handler, { of: 'all' });
  await until(() => daemon.decisions.get('first')?.status === 'answered');
  assert.deepEqual(asked, ['second', 'first']);
});

test('a handler answers for a workflow whose end is awaited', async (context) => {
  const { daemon, client } = await pair(context);
  client.onDecision(() => 'Y');
  await client.connect();
  let callback: unknown;
  daemon.answers.set('POST /api/v1/message', async ({ body }) => {
    callback = (body as { callbackId?: string }).callbackId;
    daemon.answers.set(`GET /api/v1/mailbox/callback/${String(callback)}`, () => ({
      status: 200,
      body: { id: 'msg-2', workflowId: 'wf-2' },
    }));
    daemon.ask('own', 'Go on?', ['Y', 'n'], 'wf-2');
    await until(() => daemon.decisions.get('own')?.status === 'answered');
    return { status: 200, body: { messageId: 'msg-2', workflowId: 'wf-2', status: 'completed', result: 1 } };
  });
  const { result } = await client.orchestrate('x', { blocking: true });
  assert.deepEqual([result, typeof callback], [1, 'string']);
});
