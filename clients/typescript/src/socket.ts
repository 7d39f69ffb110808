// The platform's WebSocket, or that of the package `ws` where there is none.

import { FingerError } from './errors.js';

/** As much of a WebSocket as is used here. */
export interface Socket {
  send(text: string): void;
  close(code?: number): void;
  /** Breaks off without a farewell, where that is possible. */
  terminate?(): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'error', listener: (event: { message?: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

/** What makes them. The second argument is given only where the daemon asks who comes; browsers cannot tell it. */
export type SocketConstructor = new (url: string, options?: { headers: Record<string, string> }) => Socket;

/** Begins to connect. */
export async function openSocket(
  url: string,
  authorization: string | undefined,
  given: SocketConstructor | undefined,
): Promise<Socket> {
  const Constructor = given ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket ?? (await fallback());
  return authorization ? new Constructor(url, { headers: { authorization } }) : new Constructor(url);
}

async function fallback(): Promise<SocketConstructor> {
  try {
    const { WebSocket } = await import('ws');
    return WebSocket as unknown as SocketConstructor;
  } catch (cause) {
    throw new FingerError('There is no WebSocket here: use Node.js 22 or later, or install the package ws', { cause });
  }
}
