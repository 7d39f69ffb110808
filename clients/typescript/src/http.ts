// Requests, and what is answered.

import type { Address } from './address.js';
import { FingerApiError, FingerConnectionError } from './errors.js';
import { Silence } from './silence.js';

/** How often an unanswered request is sent, each time with the same key. */
const ATTEMPTS = 3;
/** Error codes that mean that the request cannot have been received. */
const NOT_REACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

type Asked = RequestInit & { headers?: Record<string, string> };

export type Query = Record<string, string | number | undefined>;

/** Asks a daemon over HTTP. */
export class Http {
  readonly #locate: () => Promise<Address>;
  /** Looks whether the daemon answers while a request waits for it. */
  readonly silence: Silence;
  /** Whether the daemon has asked who this is: on loopback it sees that by itself. */
  #introduces = false;

  constructor(locate: () => Promise<Address>) {
    this.#locate = locate;
    this.silence = new Silence(async () => (await locate()).http);
  }

  /** What a connection to this address has to show. */
  authorization(address: Address): string | undefined {
    return this.#introduces && address.secret ? `Bearer ${address.secret}` : undefined;
  }

  /** Asks for something. */
  async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>(withQuery(path, query), { method: 'GET', ...(signal && { signal }) });
  }

  /** Asks for a part of a list; returns the cursor of what comes behind it as well. */
  async getPart<T>(path: string, query: Query = {}): Promise<{ body: T; next: string | undefined }> {
    let next: string | undefined;
    const seen = (headers: Headers): void => {
      next = headers.get('next-cursor') ?? undefined;
    };
    const body = await this.#ask<T>(withQuery(path, query), { method: 'GET' }, seen);
    return { body, next };
  }

  /** Has something done, once, however often it has to be sent. */
  async post<T>(path: string, body: object, key: string = newKey()): Promise<T> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return this.#ask<T>(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Waits for the answer as long as the daemon answers at all. */
  async #ask<T>(path: string, init: Asked, seen?: (headers: Headers) => void): Promise<T> {
    const ended = new AbortController();
    const leave = (): void => ended.abort(init.signal?.reason);
    if (init.signal?.aborted) leave();
    init.signal?.addEventListener('abort', leave, { once: true });
    const stop = this.silence.watch((error) => ended.abort(error));
    try {
      return await this.#exchange<T>(path, { ...init, signal: ended.signal }, seen);
    } finally {
      stop();
      init.signal?.removeEventListener('abort', leave);
    }
  }

  async #exchange<T>(path: string, init: Asked, seen?: (headers: Headers) => void): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      // Anew each time: what does not answer may have been replaced meanwhile.
      const address = await this.#locate();
      const authorization = this.authorization(address);
      const headers = { ...init.headers, ...(authorization && { authorization }) };
      let status: number;
      let body: string;
      try {
        const response = await fetch(address.http + path, { ...init, headers, redirect: 'error' });
        status = response.status;
        seen?.(response.headers);
        body = await response.text();
      } catch (error) {
        // That the daemon does not answer, or cannot be reached, is what the request was ended for.
        if (init.signal?.reason instanceof FingerConnectionError) throw init.signal.reason;
        // It may have been done: the next one has the same key.
        if (attempt < ATTEMPTS && !init.signal?.aborted && !NOT_REACHED.includes(codeOf(error))) continue;
        throw new FingerConnectionError(`${address.http} does not answer: ${reasonOf(error)}`, { cause: error });
      }
      if (status === 401 && !this.#introduces && address.secret) {
        this.#introduces = true;
        continue;
      }
      if (status < 200 || status > 299) throw new FingerApiError(status, body);
      try {
        return JSON.parse(body) as T;
      } catch (error) {
        throw new FingerConnectionError(`${address.http} does not answer in JSON`, { cause: error });
      }
    }
  }
}

function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size > 0 ? `${path}?${given}` : path;
}

/** Writes one part of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** A name that no other request has. */
export function newKey(): string {
  return `finger-${crypto.randomUUID()}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

function codeOf(error: unknown): string {
  const cause = causeOf(error);
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}

function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  return (cause instanceof Error && cause.message) || codeOf(error) || String(error);
}
