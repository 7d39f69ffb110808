// Connecting, losing the connection, leaving.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ConnectionState, FingerApiError, FingerClient, FingerConnectionError } from '../src/index.js';
import { implementations, pair, until } from './support/clients.js';
import { FakeDaemon } from './support/fake-daemon.js';

test('connecting twice is connecting once', async (context) => {
  const { daemon, client } = await pair(context);
  const states: ConnectionState[] = [];
  client.onStateChange((state) => states.push(state));
  assert.equal(client.getConnectionState(), 'disconnected');
  await Promise.all([client.connect(), client.connect()]);
  await client.connect();
  assert.equal(daemon.connections, 1);
  assert.deepEqual(states, ['connecting', 'connected']);
});

test('where nobody is, connecting fails, and can be tried again', async (context) => {
  const { daemon, client } = await pair(context);
  const states: ConnectionState[] = [];
  client.onStateChange((state) => states.push(state));
  await daemon.kill();
  await assert.rejects(client.connect(), FingerConnectionError);
  assert.equal(client.getConnectionState(), 'disconnected');
  await daemon.listen();
  await client.connect();
  assert.deepEqual(states, ['connecting', 'disconnected', 'connecting', 'connected']);
});

for (const [name, WebSocket] of implementations) {
  test(`with the WebSocket of ${name}, a connection that breaks before it stands is none`, async (context) => {
    const { daemon, client } = await pair(context, { WebSocket });
    daemon.breaksUpgrades = true;
    await assert.rejects(client.connect(), /No events can be had/);
    daemon.breaksUpgrades = false;
    await client.connect();
    assert.equal(daemon.connections, 1);
  });

  test(`with the WebSocket of ${name}, who has left is told nothing more`, async (context) => {
    const { daemon, client } = await pair(context, { WebSocket });
    let told = 0;
    client.subscribeAll(() => (told += 1));
    await client.connect();
    void client.disconnect();
    daemon.emit('task_started');
    await until(() => daemon.listening === 0);
    assert.equal(told, 0);
  });
}

test('a daemon that is killed and started again is found again', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const states: ConnectionState[] = [];
  const stop = client.onStateChange((state) => states.push(state));
  await client.connect();
  await daemon.kill();
  await until(() => client.getConnectionState() === 'reconnecting');
  const again = client.connect();
  await daemon.listen();
  await again;
  stop();
  assert.deepEqual(states, ['connecting', 'connected', 'reconnecting', 'connected']);
  assert.deepEqual(errors, []);
  await client.disconnect();
  assert.equal(states.length, 4);
});

test('a connection that was of no use is not asked for again at once', async (context) => {
  const { daemon, client } = await pair(context, { reconnectInterval: 3_600_000 });
  await client.connect();
  daemon.cutSockets();
  await until(() => client.getConnectionState() === 'reconnecting');
  await client.getEventHistory();
  // That of connecting, and this one.
  assert.equal(daemon.requests.length, 2);
});

test('after the last attempt nobody tries any more', async (context) => {
  const { daemon, client, errors } = await pair(context, { maxReconnectAttempts: 3 });
  await client.connect();
  await daemon.kill();
  await until(() => client.getConnectionState() === 'disconnected');
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof FingerConnectionError);
});

test('who does not want it is not connected again', async (context) => {
  const { daemon, client } = await pair(context, { reconnect: false });
  await client.connect();
  daemon.cutSockets();
  await until(() => client.getConnectionState() === 'disconnected');
  assert.equal(daemon.connections, 1);
});

test('leaving ends connecting, waiting for the next attempt, and the connection', async (context) => {
  const { daemon, client, errors } = await pair(context, { reconnectInterval: 3_600_000 });
  const connecting = client.connect();
  await client.disconnect();
  await assert.rejects(connecting, /has disconnected/);
  await client.connect();
  await daemon.kill();
  await until(() => client.getConnectionState() === 'reconnecting');
  const again = client.connect();
  await client.disconnect();
  await assert.rejects(again, /has disconnected/);
  assert.equal(client.getConnectionState(), 'disconnected');
  await daemon.listen();
  await client.connect();
  assert.equal(client.getConnectionState(), 'connected');
  await client.disconnect();
  await until(() => daemon.listening === 0);
  assert.deepEqual(errors, []);
});

test('who leaves in the moment of hearing of the state has left', async (context) => {
  for (const moment of ['connecting', 'connected', 'reconnecting'] as const) {
    const { daemon, client } = await pair(context);
    client.onStateChange((state) => {
      if (state === moment) void client.disconnect();
    });
    await client.connect().catch(() => {});
    daemon.cutSockets();
    await until(() => client.getConnectionState() === 'disconnected');
  }
});

test('who asks to be let in is shown the secret, by both ways', async (context) => {
  const { daemon, client } = await pair(context, { secret: 'geheim' });
  daemon.secret = 'geheim';
  await client.connect();
  assert.equal(daemon.shown, 'Bearer geheim');
  const shown = daemon.requests.map(({ authorization }) => authorization);
  // The secret is sent only on request.
  assert.deepEqual(shown.slice(0, 2), [undefined, 'Bearer geheim']);
});

test('who does not let in a client that has no secret, or a wrong one, is not asked for ever', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.secret = 'geheim';
  await assert.rejects(client.connect(), (error) => error instanceof FingerApiError && error.status === 401);
  const { httpUrl, wsUrl } = daemon;
  const wrong = new FingerClient({ httpUrl, wsUrl, secret: 'falsch' });
  await assert.rejects(wrong.connect(), (error) => error instanceof FingerApiError && error.code === 'UNAUTHORIZED');
});

test('a process ends once its client has left, though the daemon stays', async (context) => {
  const daemon = await FakeDaemon.start();
  context.after(() => daemon.kill());
  const index = new URL('../src/index.js', import.meta.url).href;
  const program = `
    const { FingerClient } = await import(${JSON.stringify(index)});
    const client = new FingerClient();
    await client.connect();
    client.subscribeAll(() => {});
    client.onStateChange((state) => console.log(state));
    const { workflowId } = await client.orchestrate('x');
    console.log(workflowId);
    client.disconnect();`;
  const { FINGER_HTTP_URL, FINGER_WS_URL } = { FINGER_HTTP_URL: daemon.httpUrl, FINGER_WS_URL: daemon.wsUrl };
  const env = { PATH: process.env['PATH'], FINGER_HTTP_URL, FINGER_WS_URL };
  const printed = await new Promise<string>((resolve, reject) => {
    const args = ['--input-type=module', '--eval', program];
    execFile(process.execPath, args, { env, cwd: fileURLToPath(new URL('.', import.meta.url)) }, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout);
    });
  });
  assert.equal(printed, 'wf-1\ndisconnected\n');
});

test('who answers decisions stays with the workflows it has begun until they have ended', async (context) => {
  const { daemon, client } = await pair(context);
  const told: string[] = [];
  client.subscribe(['*'], ({ type, payload }) => told.push('to' in payload ? payload.to : type));
  await client.connect();
  client.onDecision(() => 'Y');
  await client.orchestrate('x');
  const left = client.disconnect();
  daemon.ask('decision-1');
  await until(() => daemon.decisions.get('decision-1')?.status === 'answered');
  // The end of another one is not the end.
  daemon.emit('phase_transition', { from: 'review', to: 'completed' }, 'wf-2');
  const frames = daemon.frames.length;
  daemon.emit('phase_transition', { from: 'review', to: 'completed' }, 'wf-1');
  // What follows from the end belongs to it, and comes later.
  daemon.hold();
  daemon.emit('workflow_update', {}, 'wf-1');
  await until(() => daemon.frames.length > frames || client.getConnectionState() === 'disconnected');
  daemon.release();
  await left;
  assert.deepEqual(told, [
    'semantic_understanding',
    'user_decision_required',
    'user_decision_received',
    'completed',
    'completed',
    'workflow_update',
  ]);
  assert.equal(client.getConnectionState(), 'disconnected');
});

test('who stays leaves when told so again, when the connection is lost, and when it comes to know better', async (context) => {
  const { daemon, client } = await pair(context);
  client.onDecision(() => 'Y');
  const begin = async () => {
    await client.connect();
    await client.orchestrate('x');
    return client.disconnect;
  };
  await begin();
  const first = client.disconnect();
  assert.equal(client.getConnectionState(), 'connected');
  await client.disconnect();
  await first;
  assert.equal(client.getConnectionState(), 'disconnected');

  await begin();
  const second = client.disconnect();
  daemon.cutSockets();
  await second;
  assert.equal(client.getConnectionState(), 'disconnected');

  await begin();
  await client.disconnect({ now: true });
  assert.equal(client.getConnectionState(), 'disconnected');

  await begin();
  const third = client.disconnect();
  await client.connect();
  await third;
  daemon.emit('phase_transition', { from: 'review', to: 'failed' }, 'wf-1');
  daemon.cutSockets();
  await until(() => client.getConnectionState() === 'reconnecting');
  await client.connect();
});

test('a workflow is begun only once everything that was subscribed before is agreed to', async (context) => {
  const { daemon, client } = await pair(context);
  await client.connect();
  daemon.hold();
  client.subscribe('phase_transition', () => {});
  const begun = client.orchestrate('x');
  await until(() => daemon.frames.some(({ type }) => type === 'ping'));
  await client.getEventHistory();
  assert.ok(!daemon.done.includes('POST /api/v1/message'));
  daemon.release();
  await begun;
});

test('a workflow that has ended before its name is known keeps nobody', async (context) => {
  const { daemon, client } = await pair(context);
  client.onDecision(() => 'Y');
  let told = false;
  client.subscribe('phase_transition', () => (told = true));
  await client.connect();
  daemon.answers.set('POST /api/v1/message', async () => {
    daemon.emit('phase_transition', { from: 'idle', to: 'failed' }, 'wf-9');
    await until(() => told);
    return { status: 200, body: { success: true, messageId: 'm', status: 'queued', queued: true, workflowId: 'wf-9' } };
  });
  await client.orchestrate('x');
  await client.disconnect();
  assert.equal(client.getConnectionState(), 'disconnected');
});
