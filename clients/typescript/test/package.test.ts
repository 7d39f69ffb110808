// What the package is made of.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { EVENT_TYPES, FingerClient } from '../src/index.js';
import { globMatches } from '../src/glob.js';
import { random } from './support/random.js';
import { pair, until } from './support/clients.js';

/** The folder of the package; tests run in one below it. */
const root = new URL('../../', import.meta.url);

test('types are those of the description of the API', async () => {
  const { generated } = (await import(new URL('scripts/generate.mjs', root).href)) as {
    generated: () => Promise<Record<string, string>>;
  };
  for (const [name, text] of Object.entries(await generated())) {
    const kept = await readFile(new URL(`src/generated/${name}`, root), 'utf8');
    assert.ok(kept === text, `src/generated/${name} is outdated: npm run generate`);
  }
  assert.ok(EVENT_TYPES.length > 20);
});

test('nothing is depended upon but a WebSocket where the platform has none', async () => {
  const about = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Record<string, object>;
  assert.deepEqual(Object.keys({ ...about['dependencies'], ...about['peerDependencies'] }), []);
  assert.deepEqual(Object.keys(about['optionalDependencies'] ?? {}), ['ws']);
});

test('the example that people read is one that compiles', async () => {
  const [readme, example] = await Promise.all(
    ['README.md', 'examples/report.ts'].map((name) => readFile(new URL(name, root), 'utf8')),
  );
  assert.equal(/```ts\n([^]*?)```/.exec(readme ?? '')?.[1], example);
});

test('where the platform has no WebSocket, that of the package ws is used', async (context) => {
  const platform = globalThis as { WebSocket?: unknown };
  const { WebSocket } = platform;
  delete platform.WebSocket;
  context.after(() => {
    if (WebSocket) platform.WebSocket = WebSocket;
  });
  const { daemon, client } = await pair(context);
  let told = 0;
  client.subscribeAll(() => (told += 1));
  await client.connect();
  daemon.emit('task_started');
  await until(() => told === 1);
});

test('errors of which nobody wants to be told stand on standard error', async (context) => {
  const said: unknown[] = [];
  context.mock.method(console, 'error', (error: unknown) => said.push(error));
  const { daemon } = await pair(context);
  const client = new FingerClient({ httpUrl: daemon.httpUrl, wsUrl: daemon.wsUrl });
  const thrown = new Error('thrown');
  client.subscribeAll(() => {
    throw thrown;
  });
  await client.connect();
  daemon.emit('task_started');
  await until(() => said.length === 1);
  assert.deepEqual(said, [thrown]);
  await client.disconnect();
});

test('patterns mean what they mean to the daemon', () => {
  const rows: [string, string, boolean][] = [
    ['task_started', 'task_started', true],
    ['task_started', 'task_started2', false],
    ['*', '', true],
    ['*', 'task_started', true],
    ['', '', true],
    ['', 'x', false],
    ['task_*', 'task_started', true],
    ['task_*', 'Task_started', false],
    ['*_started', 'task_started', true],
    ['t*k_*ed', 'task_started', true],
    ['t*k_*ed', 'task_start', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*b', 'ab', false],
    ['**', 'x', true],
    ['task.started', 'task_started', false],
    ['[t]*', 'task', false],
  ];
  for (const [pattern, text, fits] of rows) assert.equal(globMatches(pattern, text), fits, `${pattern} ${text}`);
});

test('patterns fit like the regular expressions that say the same', () => {
  const draw = random(7);
  const word = (letters: string, length: number) =>
    Array.from({ length: draw(length + 1) }, () => letters[draw(letters.length)]).join('');
  for (let number = 0; number < 20_000; number += 1) {
    const pattern = word('ab*', 6);
    const text = word('ab', 8);
    const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);
    assert.equal(globMatches(pattern, text), expected, `${pattern} ${text}`);
  }
});
