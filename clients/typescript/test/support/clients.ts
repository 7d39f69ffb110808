// Clients of a fake daemon, and what tests need to wait for.
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WebSocket as PackageSocket } from 'ws';
import { FingerClient, type FingerClientOptions, type SocketConstructor } from '../../src/index.js';
import { FakeDaemon } from './fake-daemon.js';

/** The WebSockets that there are: the platform's, where it has one, and that of the package. */
export const implementations: [string, SocketConstructor][] = [['ws', PackageSocket as unknown as SocketConstructor]];
const platform = (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
if (platform) implementations.push(['the platform', platform]);

export interface Pair {
  daemon: FakeDaemon;
  client: FingerClient;
  /** Errors passed to `onError`. */
  errors: unknown[];
}

/** A daemon and a client of it; both are gone at the end of the test. */
export async function pair(context: TestContext, options: FingerClientOptions = {}): Promise<Pair> {
  const daemon = await FakeDaemon.start();
  const errors: unknown[] = [];
  const { httpUrl, wsUrl } = daemon;
  const onError = (error: unknown) => errors.push(error);
  const quick = { reconnectInterval: 1, maxReconnectAttempts: 10_000 };
  const client = new FingerClient({ httpUrl, wsUrl, onError, ...quick, ...options });
  context.after(async () => {
    await client.disconnect({ now: true });
    daemon.release();
    await daemon.kill().catch(() => {});
  });
  return { daemon, client, errors };
}

/** Waits until something is so; the limit of all tests ends what never is. */
export async function until(holds: () => unknown): Promise<void> {
  while (!holds()) await setImmediate();
}
