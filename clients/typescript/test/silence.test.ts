// A daemon that takes connections and does not answer, and one that is only slow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FingerClient, FingerConnectionError, type FingerEvent, FingerTimeoutError, FingerUnresponsiveError } from '../src/index.js';
import { pair, until } from './support/clients.js';
import { Daemon } from './support/daemon.js';

test('a daemon that takes connections and does not answer is found out, whatever it is asked', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.isSilent = true;
  const isSilent = (error: unknown): boolean =>
    error instanceof FingerUnresponsiveError && error instanceof FingerConnectionError;
  await Promise.all([
    assert.rejects(client.getStatus('wf-1'), isSilent),
    assert.rejects(client.orchestrate('x', { blocking: true }), isSilent),
    assert.rejects(client.waitForUserDecision('Go on?'), isSilent),
    assert.rejects(client.connect(), isSilent),
  ]);
  assert.equal(client.getConnectionState(), 'disconnected');
  // A call with a shorter limit fails with its own timeout.
  await assert.rejects(client.waitForDecision('decision-1', 5), FingerTimeoutError);
});

test('a slow answer is waited for as long as the daemon answers others', async (context) => {
  const { daemon, client } = await pair(context);
  const probedTwice = new Promise<void>((resolve) => {
    daemon.onProbe = () => daemon.probes === 2 && resolve();
  });
  daemon.answers.set('GET /api/v1/agents', async () => {
    await probedTwice;
    return { status: 200, body: [] };
  });
  assert.deepEqual(await client.listAgents(), []);
  assert.deepEqual(daemon.done, ['GET /api/v1/agents']);
});

test('one that takes no connections any more and owes an answer is not waited for for ever', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.answers.set('GET /api/v1/agents', () => new Promise(() => daemon.refuse()));
  await assert.rejects(client.listAgents(), (error) => {
    assert.ok(error instanceof FingerConnectionError && !(error instanceof FingerUnresponsiveError));
    return true;
  });
});

test('whoever follows events is told of silence, and misses nothing', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const told: FingerEvent[] = [];
  client.subscribeAll((event) => told.push(event));
  await client.connect();
  daemon.isSilent = true;
  daemon.emit('task_started');
  // A request that is to follow all subscriptions is not sent without a connection.
  await assert.rejects(client.orchestrate('x'), FingerUnresponsiveError);
  assert.equal(client.getConnectionState(), 'reconnecting');
  assert.ok(errors[0] instanceof FingerUnresponsiveError);
  assert.equal(errors.length, 1);
  daemon.isSilent = false;
  await until(() => told.length === 1);
  assert.equal(client.getConnectionState(), 'connected');
  assert.deepEqual(daemon.done.filter((route) => route.startsWith('POST')), []);
});

test('a daemon that is stopped is found out, and one that goes on answers', async (context) => {
  const daemon = await Daemon.start(context);
  const client = new FingerClient();
  const { pid } = daemon.registered;
  process.kill(pid, 'SIGSTOP');
  try {
    await assert.rejects(client.listWorkflows(), FingerUnresponsiveError);
    await assert.rejects(client.connect(), FingerUnresponsiveError);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  assert.deepEqual(await client.listWorkflows(), []);
});
