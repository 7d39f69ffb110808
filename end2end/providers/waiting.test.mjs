// Waiting for an answer by a task, and giving it up: the questions stay, and their answer is fetched afterwards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { CLIENTS, INFO, played, questions } from './lib/clients.mjs';
import { answer, asked, decisions, open, until } from './lib/person.mjs';
import { Wire } from './lib/wire.mjs';

const answerLater = (scene, session) => answer(scene, session, [{ id: 1, chosen: 'b', note: 'because' }]);

/** What the programs that asked for a session were told last. */
function standings(scene, session) {
  const receipt = JSON.parse(readFileSync(join(decisions(scene), `receipts/${session}.json`), 'utf8'));
  return Object.values(receipt.askers).map(({ standing }) => standing);
}

/** Asks, and gives the call up once it is held. The session. */
async function givenUp(scene, { ask }, task) {
  const giving = new AbortController();
  const held = new Promise((resolve) => {
    const call = ask('decide_submit', questions(task), { signal: giving.signal, onprogress: resolve });
    // Whatever ends it before that is seen below.
    call.catch(resolve);
  });
  const progress = await held;
  assert.match(String(progress.message), /http:\/\/localhost:\d+/);
  const [session, ...others] = open(scene);
  assert.deepEqual(others, []);
  assert.deepEqual(standings(scene, session), ['waits']);
  giving.abort('not needed now');
  await until(() => standings(scene, session)[0] === 'went_on', () => `it waits on: ${standings(scene, session)}`);
  return session;
}

for (const name of Object.keys(CLIENTS)) {
  describe(`${name}, a call that is given up`, () => {
    for (const way of ['stdio', 'HTTP']) {
      test(`ends the waiting, never the questions, over ${way}`, () =>
        played(name, async ({ scene, begin, beginHttp }) => {
          const client = await (way === 'HTTP' ? beginHttp() : begin());
          const session = await givenUp(scene, client, 'given up');
          assert.deepEqual(open(scene), [session]);
          const before = await client.ask('decide_result', { session_id: session });
          assert.equal(before.structuredContent.status, 'pending');
          await answerLater(scene, session);
          const { structuredContent: told } = await client.ask('decide_result', { session_id: session });
          assert.deepEqual([told.status, told.session_id, told.answers[0].labels], ['answered', session, ['The second']]);
          assert.equal(told.answers[0].note, 'because');
          // Nothing was sent for the call that was given up.
          assert.deepEqual(client.errors.map(String), []);
        }));
    }

    test('is waited for again by the next one', () =>
      played(name, async ({ scene, begin }) => {
        const client = await begin();
        const session = await givenUp(scene, client, 'another');
        const call = client.ask('decide_submit', questions('another'));
        await until(() => standings(scene, session).includes('waits'), 'nothing waits again');
        assert.deepEqual(open(scene), [session]);
        await answerLater(scene, session);
        const { structuredContent: told } = await call;
        assert.deepEqual([told.status, told.session_id], ['answered', session]);
      }));
  });
}

/** A session of the library for tasks, on a connection of the newest revision. */
async function withTasks({ client, transport }) {
  const session = createTaskSessionFromClient(client, {
    endpointId: 'aide',
    rawDispatch: transport.dispatch,
    v2RequestFraming: {
      protocolVersion: client.getNegotiatedProtocolVersion(),
      clientInfo: INFO,
      clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  });
  assert.ok(session.capabilities.execution && session.capabilities.cancellation, JSON.stringify(session.capabilities));
  return session;
}

describe('client 2.4, modern, with tasks', () => {
  const modern = 'client 2.4, modern';
  const wrap = (inner) => new Wire(inner);
  const ways = {
    stdio: ({ beginWrapped }) => beginWrapped(wrap),
    HTTP: ({ beginHttp }) => beginHttp({ wrap }),
  };

  for (const [way, connect] of Object.entries(ways)) {
    test(`a call becomes a task, and its result is the answer, over ${way}`, () =>
      played(modern, async (project) => {
        const { scene } = project;
        const tasks = await withTasks(await connect(project));
        const execution = await tasks.callTool('decide_submit', questions('task'));
        assert.equal(execution.kind, 'task');
        assert.ok(execution.handle.taskId.length >= 32, execution.handle.taskId);
        const [session] = open(scene);
        const task = tasks.task(execution.handle.taskId);
        const working = await task.snapshot();
        assert.equal(working.status, 'working');
        assert.match(working.statusMessage, /http:\/\/localhost:\d+/);
        const states = [];
        const settled = execution.settle({ onEvent: (event) => states.push(event.task?.status ?? event.outcome.status) });
        await until(() => states.includes('working'), 'it was not asked how the task stands');
        await answerLater(scene, session);
        const { structuredContent: told } = resultFromTaskOutcome((await settled).outcome);
        assert.deepEqual([told.status, told.session_id, told.answers[0].labels], ['answered', session, ['The second']]);
        assert.equal(states.at(-1), 'completed');
        assert.equal((await task.snapshot()).status, 'completed');
      }));

    test(`a task that is cancelled leaves its questions open, over ${way}`, () =>
      played(modern, async (project) => {
        const { scene } = project;
        const connected = await connect(project);
        const tasks = await withTasks(connected);
        const execution = await tasks.callTool('decide_submit', questions('cancelled'));
        const [session] = open(scene);
        await execution.cancel();
        assert.equal((await tasks.task(execution.handle.taskId).snapshot()).status, 'cancelled');
        assert.deepEqual(open(scene), [session]);
        await answerLater(scene, session);
        // It stays cancelled, and the answer is there.
        assert.equal((await tasks.task(execution.handle.taskId).snapshot()).status, 'cancelled');
        const { structuredContent: told } = await connected.ask('decide_result', { session_id: session });
        assert.deepEqual([told.status, told.answers[0].chosen], ['answered', ['b']]);
      }));
  }

  test('a task goes on in another process', () =>
    played(modern, async (project) => {
      const { scene } = project;
      const first = await ways.stdio(project);
      const tasks = await withTasks(first);
      const execution = await tasks.callTool('decide_submit', questions('restart'));
      const [session] = open(scene);
      const reference = execution.serializeReference();
      await execution.detach();
      await first.client.close();
      await answerLater(scene, session);
      const again = await withTasks(await ways.stdio(project));
      const resumed = await again.resumeTask(reference);
      const { structuredContent: told } = resultFromTaskOutcome((await resumed.settle()).outcome);
      assert.deepEqual([told.status, told.session_id, told.answers[0].note], ['answered', session, 'because']);
    }));

  test('a task of another name is none', () =>
    played(modern, async (project) => {
      const tasks = await withTasks(await ways.stdio(project));
      const { handle } = await tasks.callTool('decide_submit', questions('forged'));
      const { taskId } = handle;
      const forged = `${taskId.slice(0, -1)}${taskId.endsWith('0') ? '1' : '0'}`;
      for (const name of [forged, 'none']) {
        await assert.rejects(tasks.task(name).snapshot(), /no such task/);
        await assert.rejects(tasks.task(name).cancel(), /no such task/);
      }
      assert.equal((await tasks.task(taskId).snapshot()).status, 'working');
    }));
});

describe('clients of earlier revisions', () => {
  test('sdk 1.32 that wants a task gets the answer instead', () =>
    played('sdk 1.32', async ({ scene, begin }) => {
      const { client } = await begin();
      assert.equal(client.getServerCapabilities().tasks, undefined);
      const params = { name: 'decide_submit', arguments: questions('no task'), task: { ttl: 60_000 } };
      const call = client.request({ method: 'tools/call', params }, CallToolResultSchema);
      const session = await asked(scene);
      const { tasks } = client.experimental;
      // No word of its tasks does anything, and none is left without an answer.
      for (const method of ['getTask', 'getTaskResult', 'cancelTask', 'listTasks']) {
        await assert.rejects(tasks[method](session), /Missing required client capability|there is no method/);
      }
      assert.deepEqual(open(scene), [session]);
      await answerLater(scene, session);
      const { structuredContent: told } = await call;
      assert.deepEqual([told.status, told.session_id], ['answered', session]);
    }));

  test('client 2.4, legacy, has no tasks, and its call is held', () =>
    played('client 2.4, legacy', async ({ scene, begin }) => {
      const { client } = await begin();
      const tasks = createTaskSessionFromClient(client, { endpointId: 'aide' });
      assert.equal(tasks.capabilities.execution, false);
      const call = tasks.callTool('decide_submit', questions('held'));
      await answerLater(scene, await asked(scene));
      const execution = await call;
      assert.equal(execution.kind, 'immediate');
      const { structuredContent: told } = resultFromTaskOutcome((await execution.settle()).outcome);
      assert.deepEqual([told.status, told.answers[0].labels], ['answered', ['The second']]);
    }));
});
