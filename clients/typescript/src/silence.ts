// Telling a daemon that is slow from one that does not answer.

import { FingerConnectionError, FingerUnresponsiveError } from './errors.js';

/** How long an answer is waited for before the daemon is asked whether it answers at all, in milliseconds. */
const QUIET = 1500;
/** How long the answer to that may take, in milliseconds: together less than five seconds. */
const PROBE = 3300;
/** How many probes in a row may fail to connect: a daemon that ends takes no connections any more, and still owes answers. */
const MAX_FAILED = 4;
/** How many connections to one host browsers open: what waits for all of them waits behind them. */
const BROWSER_CONNECTIONS = 6;

/** What a probe has found; where there was no connection, why. */
type Probe = 'answered' | 'silent' | Error;

/** Looks whether the daemon answers while something waits for it. */
export class Silence {
  readonly #url: () => Promise<string>;
  /** The probe that is under way, for all who wait. */
  #probe: Promise<Probe> | undefined;
  /** How many wait. */
  #waiting = 0;

  /** `url` says where the daemon is. */
  constructor(url: () => Promise<string>) {
    this.#url = url;
  }

  /**
   * Probes the daemon every now and then, until the returned function is called. When the daemon does not answer, this calls
   * `end` once and stops.
   */
  watch(end: (error: FingerConnectionError) => void): () => void {
    let isOver = false;
    let failed = 0;
    let timer: ReturnType<typeof setTimeout>;
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      this.#waiting -= 1;
      clearTimeout(timer);
    };
    const look = async (): Promise<void> => {
      const found = await this.probe();
      if (isOver) return;
      failed = found instanceof Error ? failed + 1 : 0;
      if (found === 'silent' || failed === MAX_FAILED) {
        stop();
        end(found instanceof Error ? new FingerConnectionError('The daemon cannot be reached', { cause: found }) : silent());
        return;
      }
      timer = setTimeout(look, QUIET);
    };
    this.#waiting += 1;
    timer = setTimeout(look, QUIET);
    return stop;
  }

  /** Asks whether the daemon answers; any answer will do, a refusal as well. */
  probe(): Promise<Probe> {
    // There, it would only find out that nothing can be sent.
    const isBrowser = typeof process === 'undefined' || !process.versions?.node;
    if (isBrowser && this.#waiting >= BROWSER_CONNECTIONS) return Promise.resolve('answered');
    this.#probe ??= this.#ask().finally(() => (this.#probe = undefined));
    return this.#probe;
  }

  async #ask(): Promise<Probe> {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PROBE);
    try {
      const url = `${await this.#url()}/api/v1/modules`;
      const response = await fetch(url, { signal: patience.signal, redirect: 'manual' });
      await response.body?.cancel();
      return 'answered';
    } catch (error) {
      if (patience.signal.aborted) return 'silent';
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      clearTimeout(timer);
    }
  }
}

/** That the daemon does not answer. */
export function silent(): FingerUnresponsiveError {
  return new FingerUnresponsiveError('The daemon does not answer');
}
