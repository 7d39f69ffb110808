// Events: in their order, each once, whatever the network does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FingerEvent, FingerConnectionError, FingerGapError } from '../src/index.js';
import { implementations, pair, until } from './support/clients.js';
import { random } from './support/random.js';

const seqs = (events: FingerEvent[]) => events.map(({ seq }) => seq);

test('whoever has subscribed before connecting or after is told what fits', async (context) => {
  const { daemon, client } = await pair(context);
  const before: string[] = [];
  const after: string[] = [];
  client.subscribe(['task_*', 'phase_transition'], ({ type }) => before.push(type));
  await client.connect();
  client.subscribe('agent_update', ({ type }) => after.push(type));
  await until(() => daemon.wanted?.includes('agent_update'));
  for (const type of ['task_started', 'agent_update', 'workflow_update', 'phase_transition']) daemon.emit(type);
  await until(() => before.length === 2 && after.length === 1);
  assert.deepEqual(before, ['task_started', 'phase_transition']);
  assert.deepEqual(after, ['agent_update']);
});

test('what is subscribed while the connection comes about is told as well', async (context) => {
  const { daemon, client } = await pair(context);
  client.subscribe('task_*', () => {});
  daemon.hold();
  const connecting = client.connect();
  await until(() => daemon.frames.length === 1);
  let told = 0;
  client.subscribe('agent_update', () => (told += 1));
  daemon.release();
  await connecting;
  await until(() => daemon.wanted?.length === 2);
  daemon.emit('agent_update');
  await until(() => told === 1);
});

test('a subscription is said to the daemon at once, and taken back by the last who had it', async (context) => {
  const { daemon, client } = await pair(context);
  const one = client.subscribe(['task_*', 'phase_transition'], () => {});
  await client.connect();
  const two = client.subscribe(['task_*'], () => {});
  await until(() => daemon.wanted?.length === 2);
  one();
  one();
  await until(() => daemon.wanted?.length === 1);
  assert.deepEqual(daemon.wanted, ['task_*']);
  two();
  await until(() => daemon.wanted?.length === 0);
  const said = daemon.frames.map(({ type, events }) => [type, events]);
  assert.deepEqual(said, [
    ['subscribe', ['task_*', 'phase_transition']],
    ['unsubscribe', ['phase_transition']],
    ['unsubscribe', ['task_*']],
  ]);
});

test('who wants nothing is sent nothing', async (context) => {
  const { daemon, client } = await pair(context);
  await client.connect();
  assert.deepEqual(daemon.wanted, []);
});

test('whoever fits by several patterns is told once, and who has gone meanwhile not at all', async (context) => {
  const { daemon, client } = await pair(context);
  const told: string[] = [];
  client.subscribe(['*', 'task_*', 'task_started'], ({ type }) => {
    told.push(`first ${type}`);
    second();
  });
  const second = client.subscribeAll(({ type }) => told.push(`second ${type}`));
  await client.connect();
  daemon.emit('task_started');
  daemon.emit('task_failed');
  await until(() => told.length >= 2);
  assert.deepEqual(told, ['first task_started', 'first task_failed']);
});

test('what goes wrong in a handler concerns nobody else', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const told: number[] = [];
  const thrown = new Error('thrown');
  const rejected = new Error('rejected');
  client.subscribeAll(() => {
    throw thrown;
  });
  client.subscribeAll(() => Promise.reject(rejected));
  client.subscribeAll(({ seq }) => told.push(seq));
  await client.connect();
  daemon.emit('task_started');
  daemon.emit('task_completed');
  await until(() => told.length === 2 && errors.length === 4);
  assert.deepEqual(new Set(errors), new Set([thrown, rejected]));
  assert.equal(client.getConnectionState(), 'connected');
});

for (const [name, WebSocket] of implementations) {
  test(`with the WebSocket of ${name}, everything is wanted again after the connection was lost, from the last event on`, async (context) => {
    const { daemon, client } = await pair(context, { WebSocket });
    const told: FingerEvent[] = [];
    client.subscribe(['task_*'], (event) => told.push(event));
    await client.connect();
    client.subscribe(['agent_update'], () => {});
    daemon.emit('task_started');
    await until(() => told.length === 1);
    daemon.cutSockets();
    daemon.emit('task_progress');
    daemon.emit('task_completed');
    await until(() => told.length === 3);
    assert.deepEqual(seqs(told), [1, 2, 3]);
    const again = daemon.frames.filter(({ type }) => type === 'subscribe').at(-1);
    assert.deepEqual(again, { type: 'subscribe', events: ['task_*', 'agent_update'], since: 1 });
  });
}

test('events that happen before the first one is told are not lost with the connection', async (context) => {
  const { daemon, client } = await pair(context);
  daemon.emit('task_started');
  const told: FingerEvent[] = [];
  client.subscribe(['task_*'], (event) => told.push(event));
  await client.connect();
  daemon.hold();
  daemon.emit('task_completed');
  daemon.cutSockets();
  daemon.release();
  await until(() => told.length > 0);
  // That of before the connection was not asked for.
  assert.deepEqual(seqs(told), [2]);
});

test('what happens while the connection comes about takes the place of nothing that was missed', async (context) => {
  const { daemon, client } = await pair(context);
  const told: FingerEvent[] = [];
  client.subscribe(['task_*'], (event) => told.push(event));
  await client.connect();
  daemon.onArrival = () => void daemon.emit('task_completed');
  daemon.cutSockets();
  daemon.emit('task_started');
  await until(() => told.some(({ type }) => type === 'task_completed'));
  assert.deepEqual(seqs(told), [1, 2]);
});

test('who was too slow comes again at once, and is told the rest', async (context) => {
  const { daemon, client } = await pair(context, { reconnectInterval: 3_600_000 });
  const told: FingerEvent[] = [];
  client.subscribe(['task_*'], (event) => told.push(event));
  await client.connect();
  daemon.sendAway();
  daemon.emit('task_started');
  await until(() => told.length === 1);
  assert.equal(client.getConnectionState(), 'connected');
});

for (const [name, WebSocket] of implementations) {
  test(`with the WebSocket of ${name}, a network that cuts, delays and repeats changes nothing of what is told`, async (context) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const { daemon, client, errors } = await pair(context, { WebSocket });
      const draw = random(seed);
      const told: FingerEvent[] = [];
      const some: FingerEvent[] = [];
      client.subscribeAll((event) => told.push(event));
      client.subscribe(['task_*'], (event) => some.push(event));
      await client.connect();
      daemon.repeats = true;
      const types = ['task_started', 'task_completed', 'phase_transition', 'agent_update'];
      for (let number = 0; number < 200; number += 1) {
        switch (draw(12)) {
          case 0:
            daemon.cut();
            break;
          case 1:
            daemon.cutSockets();
            break;
          case 2:
            daemon.sendAway();
            break;
          case 3:
            daemon.hold();
            break;
          case 4:
            daemon.release();
            break;
          case 5:
            daemon.loseRequests = draw(3);
            break;
          case 6:
            daemon.loseAnswers = draw(3);
            break;
          case 7:
            await until(() => daemon.listening > 0 || client.getConnectionState() !== 'connected');
            break;
          default:
            daemon.emit(types[draw(types.length)] ?? '');
            await new Promise(setImmediate);
        }
      }
      daemon.release();
      const last = daemon.emit('task_completed');
      await until(() => some.at(-1)?.seq === last);
      assert.deepEqual(
        seqs(told),
        Array.from({ length: last }, (_, index) => index + 1),
        `seed ${seed}`,
      );
      assert.deepEqual(some, told.filter(({ type }) => type.startsWith('task_')), `seed ${seed}`);
      assert.deepEqual(errors, [], `seed ${seed}`);
      await client.disconnect();
    }
  });
}

test('events that are not kept any more are told to be missing', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const told: FingerEvent[] = [];
  client.subscribeAll((event) => told.push(event));
  await client.connect();
  daemon.cutSockets();
  for (let number = 0; number < 5; number += 1) daemon.emit('task_progress');
  daemon.prune(3);
  await until(() => told.length === 2);
  assert.deepEqual(seqs(told), [4, 5]);
  assert.deepEqual(
    errors.map((error) => error instanceof FingerGapError && error.oldestSeq),
    [4],
  );
});

test('another daemon in the place of the first is listened to from now on', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const told: FingerEvent[] = [];
  client.subscribeAll((event) => told.push(event));
  await client.connect();
  for (let number = 0; number < 3; number += 1) daemon.emit('task_progress');
  await until(() => told.length === 3);
  daemon.forget();
  daemon.cutSockets();
  await until(() => errors.length === 1 && client.getConnectionState() === 'connected');
  daemon.emit('task_completed');
  await until(() => told.length === 4);
  assert.deepEqual(seqs(told), [1, 2, 3, 1]);
  assert.ok(errors[0] instanceof FingerGapError);
});

test('a connection by which nothing comes any more is given up', async (context) => {
  const { daemon, client } = await pair(context, { heartbeatInterval: 5 });
  const told: FingerEvent[] = [];
  client.subscribeAll((event) => told.push(event));
  await client.connect();
  daemon.isMute = true;
  daemon.emit('task_started');
  await until(() => client.getConnectionState() === 'reconnecting');
  daemon.isMute = false;
  daemon.cutSockets();
  await until(() => told.length === 1);
  assert.deepEqual(seqs(told), [1]);
});

test('words that are no JSON are reported and change nothing', async (context) => {
  const { daemon, client, errors } = await pair(context);
  const told: FingerEvent[] = [];
  client.subscribeAll((event) => told.push(event));
  await client.connect();
  daemon.say('<html>');
  daemon.emit('task_started');
  await until(() => told.length === 1);
  assert.ok(errors[0] instanceof FingerConnectionError);
});

test('a subscription that the daemon refuses is reported', async (context) => {
  const { client, errors } = await pair(context);
  await client.connect();
  client.subscribe('x'.repeat(200), () => {});
  await until(() => errors.length === 1);
  assert.match(String(errors[0]), /has not understood: too long/);
});
