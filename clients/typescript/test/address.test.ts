// Where a daemon is looked for, and who is shown its secret.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { addressOf, locate, type Registered, stateFolder } from '../src/address.js';
import { FingerError } from '../src/index.js';

const OWN: Registered = {
  pid: process.pid,
  http_url: 'http://127.0.0.1:4001',
  ws_url: 'ws://127.0.0.1:4002',
  bind: '127.0.0.1',
  secret: 'geheim',
};

test('the daemon is where the program says, the environment, the daemon itself, or where the contract has it', () => {
  const rows: [Parameters<typeof addressOf>, string, string][] = [
    [[{}, {}, undefined], 'http://localhost:8080', 'ws://localhost:8081'],
    [[{}, {}, OWN], OWN.http_url, OWN.ws_url],
    [[{}, { FINGER_HTTP_URL: 'http://e:1' }, OWN], 'http://e:1', 'ws://e:1/ws'],
    [[{}, { FINGER_HUB_URL: 'http://e:1/' }, OWN], 'http://e:1', 'ws://e:1/ws'],
    [[{}, { FINGER_HTTP_URL: '', FINGER_WS_URL: 'ws://e:2' }, undefined], 'http://localhost:8080', 'ws://e:2'],
    [[{ httpUrl: 'https://p/x/' }, { FINGER_HTTP_URL: 'http://e:1' }, OWN], 'https://p/x', 'wss://p/x/ws'],
    [[{ wsUrl: 'ws://p:2' }, { FINGER_HTTP_URL: 'http://e:1', FINGER_WS_URL: 'ws://e:2' }, OWN], 'http://e:1', 'ws://p:2'],
  ];
  for (const [given, http, ws] of rows) {
    const address = addressOf(...given);
    assert.deepEqual([address.http, address.ws], [http, ws]);
  }
});

test('what is no address of a daemon is refused', () => {
  for (const httpUrl of ['localhost:8080', 'ws://localhost', 'file:///etc/passwd', '://']) {
    assert.throws(() => addressOf({ httpUrl }, {}, undefined), FingerError, httpUrl);
  }
  assert.throws(() => addressOf({ wsUrl: 'http://localhost' }, {}, undefined), FingerError);
});

test('the secret of a daemon is for nobody else', () => {
  const rows: [string, string, string | undefined, boolean][] = [
    // bind, HTTP, WebSockets, whether only the daemon can be there
    ['127.0.0.1', 'http://127.0.0.1:4001', undefined, true],
    ['127.0.0.1', 'http://localhost:4001', undefined, true],
    ['127.0.0.1', 'http://[::1]:4001/', undefined, true],
    ['localhost', 'http://localhost:4001', 'ws://localhost:4002', true],
    ['127.0.0.1', 'http://localhost:4001', 'ws://localhost:4003', false],
    ['127.0.0.1', 'http://localhost:4001', 'ws://example.com:4002', false],
    ['127.0.0.1', 'http://localhost:4002', undefined, false],
    ['127.0.0.1', 'https://localhost:4001', undefined, false],
    // It holds two addresses of the loopback, and not the rest of them.
    ['127.0.0.1', 'http://127.0.0.2:4001', undefined, false],
    ['127.0.0.1', 'http://localhost:4001', 'ws://127.0.0.2:4002', false],
    ['127.0.0.1', 'http://10.0.0.5:4001', undefined, false],
    // It listens on one address, which has one spelling.
    ['0.0.0.0', 'http://127.0.0.1:4001', undefined, true],
    ['0.0.0.0', 'http://localhost:4001', undefined, false],
    ['127.0.0.2', 'http://localhost:4001', undefined, false],
  ];
  for (const [bind, httpUrl, wsUrl, isOwn] of rows) {
    const { secret } = addressOf({ httpUrl, wsUrl }, {}, { ...OWN, bind });
    assert.equal(secret, isOwn ? 'geheim' : undefined, `${bind} ${httpUrl} ${wsUrl}`);
  }
  // What a program says is its own affair.
  assert.equal(addressOf({ httpUrl: 'http://e:1', secret: 's' }, {}, OWN).secret, 's');
});

test('the state of a daemon is where it is named or belongs', () => {
  const rows: [Record<string, string>, string | undefined][] = [
    [{ FINGER_HOME: '/f', XDG_STATE_HOME: '/s', HOME: '/h' }, '/f'],
    [{ FINGER_HOME: '', XDG_STATE_HOME: '/s', HOME: '/h' }, '/s/aide/daemon'],
    [{ XDG_STATE_HOME: 's', HOME: '/h' }, '/h/.local/state/aide/daemon'],
    [{ HOME: 'h' }, undefined],
    [{}, undefined],
  ];
  for (const [variables, folder] of rows) assert.equal(stateFolder(variables), folder);
  assert.throws(() => stateFolder({ FINGER_HOME: 'f' }), FingerError);
});

/** A folder for the state of a daemon, which is that of this process for the time of a test. */
async function home(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'finger-'));
  const { FINGER_HOME, FINGER_HTTP_URL, FINGER_WS_URL } = process.env;
  process.env['FINGER_HOME'] = folder;
  delete process.env['FINGER_HTTP_URL'];
  delete process.env['FINGER_WS_URL'];
  context.after(async () => {
    for (const [name, value] of Object.entries({ FINGER_HOME, FINGER_HTTP_URL, FINGER_WS_URL })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(folder, { recursive: true });
  });
  return folder;
}

test('a daemon of this user is found by its file, as long as it runs', async (context) => {
  const file = join(await home(context), 'daemon.json');
  assert.deepEqual(await locate({}), { http: 'http://localhost:8080', ws: 'ws://localhost:8081', secret: undefined });
  await writeFile(file, JSON.stringify(OWN));
  assert.deepEqual(await locate({}), { http: OWN.http_url, ws: OWN.ws_url, secret: 'geheim' });
  // No process has this ID.
  await writeFile(file, JSON.stringify({ ...OWN, pid: 2 ** 22 + 1 }));
  assert.equal((await locate({})).http, 'http://localhost:8080');
});

test('a file of a daemon that cannot be understood is told', async (context) => {
  const folder = await home(context);
  const file = join(folder, 'daemon.json');
  await writeFile(file, '{');
  await assert.rejects(locate({}), /is no JSON/);
  await rm(file);
  process.env['FINGER_HOME'] = join(folder, 'x');
  await writeFile(join(folder, 'x'), '');
  await assert.rejects(locate({}), /cannot be read/);
});
