// Where a daemon is: where the program or the environment says, else where one of this user runs, else where one would.

import { FingerError } from './errors.js';

/** Where a daemon is asked. */
export interface Address {
  /** Over HTTP, without a slash at the end. */
  http: string;
  /** Over a WebSocket. */
  ws: string;
  /** What lets a program in where it is asked for; only ever that of the daemon that is asked. */
  secret: string | undefined;
}

/** What a program says of where the daemon is. */
export interface Place {
  httpUrl?: string | undefined;
  wsUrl?: string | undefined;
  secret?: string | undefined;
}

/** What a daemon says of itself in `daemon.json`. */
export interface Registered {
  pid: number;
  http_url: string;
  ws_url: string;
  bind: string;
  secret: string;
}

type Variables = Record<string, string | undefined>;

const DEFAULT_HTTP = 'http://localhost:8080';
const DEFAULT_WS = 'ws://localhost:8081';
/** How large `daemon.json` may be, in bytes. */
const LIMIT = 64 << 10;

/** Settles where the daemon is. It is asked again before each connection: a daemon may come back on another port. */
export async function locate(place: Place): Promise<Address> {
  const variables: Variables = typeof process === 'undefined' ? {} : process.env;
  return addressOf(place, variables, await running(variables));
}

/** As {@link locate}, of what is known already. */
export function addressOf(place: Place, variables: Variables, own: Registered | undefined): Address {
  const httpUrl = place.httpUrl || variables['FINGER_HTTP_URL'] || variables['FINGER_HUB_URL'];
  const wsUrl = place.wsUrl || variables['FINGER_WS_URL'];
  const http = checked(httpUrl || own?.http_url || DEFAULT_HTTP, ['http:', 'https:']);
  // Where another place is named, its WebSockets are there as well.
  const beside = httpUrl ? socketsOf(http) : (own?.ws_url ?? DEFAULT_WS);
  const ws = checked(wsUrl || beside, ['ws:', 'wss:']);
  // The secret is sent only to the daemon that it belongs to.
  const secret = place.secret ?? (own && isAt(own, http, ws) ? own.secret : undefined);
  return { http: bare(http), ws: bare(ws), secret };
}

/** Whether `http` and `ws` reach the daemon `own` and no other process, however its address is spelled. */
export function isAt(own: Registered, http: URL, ws: URL): boolean {
  const host = own.bind.replace(/^\[|\]$/g, '');
  // With these it holds its ports on both loopback addresses; with any other on that one alone.
  const holdsBoth = ['localhost', '127.0.0.1', '::1'].includes(host);
  const isOneOf = (url: URL, all: string[]) =>
    all.some((text) => {
      const one = new URL(text);
      const isSameHost = url.hostname === one.hostname || (holdsBoth && isLoopback(url) && isLoopback(one));
      return isSameHost && portOf(url) === portOf(one) && !['https:', 'wss:'].includes(url.protocol);
    });
  return isOneOf(http, [own.http_url]) && isOneOf(ws, [own.ws_url, own.http_url]);
}

/** Returns the folder in which a daemon of this user keeps its state. */
export function stateFolder(variables: Variables): string | undefined {
  const absolute = (name: string) => (variables[name]?.startsWith('/') ? variables[name] : undefined);
  const named = variables['FINGER_HOME'];
  // A relative one would be another folder in each place.
  if (named && !named.startsWith('/')) throw new FingerError(`FINGER_HOME must be a full path: ${named}`);
  if (named) return named;
  const state = absolute('XDG_STATE_HOME');
  if (state) return `${state}/aide/daemon`;
  const home = absolute('HOME');
  return home && `${home}/.local/state/aide/daemon`;
}

/** Returns what the daemon of this user says of itself, if one runs. */
async function running(variables: Variables): Promise<Registered | undefined> {
  const folder = stateFolder(variables);
  // A browser has no such folder.
  if (!folder) return undefined;
  const { open } = await import('node:fs/promises');
  const path = `${folder}/daemon.json`;
  let text: string;
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LIMIT), 0, LIMIT, 0);
      text = buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new FingerError(`${path} cannot be read`, { cause: error });
  }
  let own: Registered;
  try {
    own = JSON.parse(text) as Registered;
  } catch (error) {
    throw new FingerError(`${path} is no JSON`, { cause: error });
  }
  return isAlive(own.pid) ? own : undefined;
}

/**
 * Whether a process of this user has this process ID. The daemon holds a lock for this, but Node.js cannot query it: after a
 * crash the file may stay behind. Then its address does not answer, and another process there could not use its secret, which is
 * new at every start.
 */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function checked(text: string, protocols: string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || !url.hostname) {
    throw new FingerError(`${JSON.stringify(text)} is no address of a daemon`);
  }
  return url;
}

function socketsOf(http: URL): string {
  const url = new URL(http.href.replace(/^http/, 'ws'));
  url.pathname = `${url.pathname.replace(/\/$/, '')}/ws`;
  return url.href;
}

function bare(url: URL): string {
  return url.href.replace(/\/$/, '');
}

function portOf(url: URL): string {
  return url.port || (['https:', 'wss:'].includes(url.protocol) ? '443' : '80');
}

/** Whether this is a spelling of the loopback addresses that a daemon listens on; other users may listen on the other ones. */
function isLoopback(url: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
