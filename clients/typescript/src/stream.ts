// Events as they happen: in their order, each once, over as many connections as it takes.

import { FingerConnectionError, FingerError, FingerGapError, FingerUnresponsiveError } from './errors.js';
import type { FingerEvent } from './events.js';
import { type Silence, silent } from './silence.js';
import type { Socket } from './socket.js';

/** Whether there is a connection. */
export type ConnectionState = 'disconnected' | 'connecting' | 'connected' | 'reconnecting';

/** What the stream needs from around it. */
export interface Surroundings {
  /** Looks whether the daemon answers. */
  silence: Silence;
  /** Begins to connect. */
  open(): Promise<Socket>;
  /** The number of the last event that there is. */
  latest(signal: AbortSignal): Promise<number>;
  /** The patterns of all events that have a subscriber. */
  wanted(): Set<string>;
  /** An event has come. */
  told(event: FingerEvent): void;
  /** There is a connection, or there is none any more. */
  changed(state: ConnectionState): void;
  /** Reports an error that no caller gets. */
  report(error: unknown): void;
}

export interface Timing {
  reconnect: boolean;
  /** How long to wait between two attempts, in milliseconds. */
  reconnectInterval: number;
  maxReconnectAttempts: number;
  /** How often to look whether the other side is still there, in milliseconds. */
  heartbeatInterval: number;
}

/** How long it may take until a connection stands, in milliseconds. */
const PATIENCE = 10_000;
/**
 * How often the daemon is asked for a sign of life, in milliseconds. Where none has come since the last time it is probed, so that its
 * silence is found in less than five seconds.
 */
const PULSE = 750;
/** Close code for a client that was too slow: it may reconnect at once. */
const AGAIN = 1013;

/** One connection. */
interface Connection {
  socket: Socket;
  /** The subscription is confirmed: the events from now on are wanted. */
  isAgreed: boolean;
  /** Whether an event has come by it. */
  isProven: boolean;
  /** Whether anything has come since the last look. */
  isAlive: boolean;
  /** Whether nothing that comes by it counts any more. */
  isOver: boolean;
  /** What the daemon still has to answer, the oldest first. */
  unanswered: ((error?: Error) => void)[];
  /** The patterns that the daemon was told. */
  told: Set<string>;
  heartbeat: ReturnType<typeof setInterval> | undefined;
  /** Whether anything has come since the last sign of life was asked for. */
  isHeard: boolean;
  /** Whether a probe is under way. */
  isProbed: boolean;
  pulse: ReturnType<typeof setInterval> | undefined;
}

export class EventStream {
  readonly #around: Surroundings;
  readonly #timing: Timing;
  #state: ConnectionState = 'disconnected';
  #connection: Connection | undefined;
  /** The connection that is coming about. */
  #opening: Promise<void> | undefined;
  /** Ends all that waits, at the farewell. */
  #farewell = new AbortController();
  #reconnects: boolean;
  /** The number of the last event that was told. */
  #last: number | undefined;

  constructor(around: Surroundings, timing: Timing) {
    this.#around = around;
    this.#timing = timing;
    this.#reconnects = timing.reconnect;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Connects, unless there is a connection or will be one. */
  connect(): Promise<void> {
    this.#reconnects = this.#timing.reconnect;
    if (this.#state === 'connected') return Promise.resolve();
    if (!this.#opening) {
      this.#farewell = new AbortController();
      const { signal } = this.#farewell;
      this.#enter('connecting');
      // A state watcher may have called `disconnect`.
      if (signal.aborted) return Promise.reject(signal.reason);
      this.#opening = this.#begin(signal);
    }
    return this.#opening;
  }

  /** Lets the present connection be the last one. */
  stopReconnecting(): void {
    this.#reconnects = false;
    if (this.#state === 'reconnecting') this.disconnect();
  }

  /** Ends the connection; there will be no other one. */
  disconnect(): void {
    this.#farewell.abort(new FingerConnectionError('The client has disconnected'));
    this.#opening = undefined;
    const connection = this.#connection;
    if (connection) {
      this.#drop(connection);
      connection.socket.close(1000);
      // A daemon that does not complete the close does not keep the client from leaving.
      setTimeout(() => connection.socket.terminate?.(), 1000).unref?.();
    }
    this.#enter('disconnected');
  }

  /** Sends the patterns that are wanted now, if there is a connection; if not, they are sent once there is one. */
  update(): void {
    const connection = this.#connection;
    if (!connection?.isAgreed) return;
    const wanted = this.#around.wanted();
    const added = [...wanted].filter((pattern) => !connection.told.has(pattern));
    const removed = [...connection.told].filter((pattern) => !wanted.has(pattern));
    connection.told = wanted;
    const report = (error: unknown) => this.#connection === connection && this.#around.report(error);
    if (added.length > 0) this.#say(connection, { type: 'subscribe', events: added }).catch(report);
    if (removed.length > 0) this.#say(connection, { type: 'unsubscribe', events: removed }).catch(report);
  }

  /**
   * Waits until the daemon has answered all that it was told so far; that there is no connection is as good. Rejects when the daemon does
   * not answer.
   */
  async settled(): Promise<void> {
    if (!this.#connection) return;
    await this.#say(this.#connection, { type: 'ping' }).catch((error: unknown) => {
      if (error instanceof FingerUnresponsiveError) throw error;
    });
  }

  async #begin(farewell: AbortSignal): Promise<void> {
    try {
      await this.#open(farewell);
    } catch (error) {
      if (!farewell.aborted) this.#enter('disconnected');
      throw error;
    } finally {
      if (!farewell.aborted) this.#opening = undefined;
    }
  }

  /** Opens one connection and subscribes to events. */
  async #open(farewell: AbortSignal): Promise<void> {
    // The number first: every event after it is sent on this connection.
    farewell.throwIfAborted();
    const latest = await this.#around.latest(farewell);
    farewell.throwIfAborted();
    if (this.#last !== undefined && latest < this.#last) {
      // It has forgotten what it had told: it is another one.
      this.#around.report(new FingerGapError(0));
      this.#last = latest;
    }
    this.#last ??= latest;
    const socket = await this.#around.open();
    const connection: Connection = {
      socket,
      isAgreed: false,
      isProven: false,
      isAlive: true,
      isOver: false,
      unanswered: [],
      told: new Set(),
      heartbeat: undefined,
      isHeard: true,
      isProbed: false,
      pulse: undefined,
    };
    try {
      await this.#agree(connection, this.#last, farewell);
    } catch (error) {
      this.#drop(connection);
      if (socket.terminate) socket.terminate();
      else socket.close();
      throw error;
    }
    this.#connection = connection;
    connection.heartbeat = setInterval(() => this.#look(connection), this.#timing.heartbeatInterval);
    connection.heartbeat.unref?.();
    connection.pulse = setInterval(() => void this.#feel(connection), PULSE);
    connection.pulse.unref?.();
    this.#enter('connected');
    // What was wanted meanwhile.
    this.update();
  }

  /** Waits until a connection stands and the daemon has understood what is wanted. */
  #agree(connection: Connection, since: number, farewell: AbortSignal): Promise<void> {
    const { socket } = connection;
    return new Promise((resolve, reject) => {
      const over = () => {
        clearTimeout(patience);
        stop();
        farewell.removeEventListener('abort', leave);
      };
      const fail = (error: unknown) => {
        over();
        reject(error);
      };
      const leave = () => fail(farewell.reason);
      const patience = setTimeout(() => fail(new FingerConnectionError('The daemon does not answer in time')), PATIENCE);
      const stop = this.#around.silence.watch(fail);
      farewell.addEventListener('abort', leave, { once: true });
      const close = (code: number, reason: string) => {
        fail(new FingerConnectionError(`No events can be had: ${reason}`));
        this.#lost(connection, code);
      };
      // Not everywhere is an error followed by the end that it is.
      socket.addEventListener('error', ({ message }) => close(0, String(message || 'the connection failed')));
      socket.addEventListener('close', ({ code }) => close(code, 'the connection was closed'));
      socket.addEventListener('message', ({ data }) => this.#take(connection, data));
      socket.addEventListener('open', () => {
        const wanted = this.#around.wanted();
        connection.told = wanted;
        // A client that names nothing gets all events, unless it has unsubscribed from everything.
        const frame =
          wanted.size > 0 ? { type: 'subscribe', events: [...wanted], since } : { type: 'unsubscribe' };
        this.#say(connection, frame).then(() => {
          over();
          resolve();
        }, fail);
      });
      // It may have been left while it was opened.
      if (farewell.aborted) leave();
    });
  }

  /** Sends a frame; returns when it was answered. */
  #say(connection: Connection, frame: object): Promise<void> {
    return new Promise((resolve, reject) => {
      connection.unanswered.push((error) => (error ? reject(error) : resolve()));
      try {
        connection.socket.send(JSON.stringify(frame));
      } catch (error) {
        connection.unanswered.pop();
        reject(error);
      }
    });
  }

  #take(connection: Connection, data: unknown): void {
    if (connection.isOver) return;
    connection.isAlive = true;
    connection.isHeard = true;
    let frame: Record<string, unknown>;
    try {
      frame = JSON.parse(String(data)) as Record<string, unknown>;
    } catch (error) {
      this.#around.report(new FingerConnectionError('The daemon has said something that is no JSON', { cause: error }));
      return;
    }
    switch (frame['type']) {
      case 'subscribe_confirmed':
      case 'unsubscribe_confirmed':
      case 'pong':
        // What came before this was of everything, and comes again.
        connection.isAgreed = true;
        connection.unanswered.shift()?.();
        return;
      case 'error':
        connection.unanswered.shift()?.(new FingerError(`The daemon has not understood: ${String(frame['error'])}`));
        return;
      case 'replay_gap':
        if (connection.isAgreed) this.#around.report(new FingerGapError(Number(frame['oldestSeq'])));
        return;
    }
    const { seq } = frame;
    if (!connection.isAgreed || typeof seq !== 'number' || seq <= (this.#last ?? 0)) return;
    this.#last = seq;
    connection.isProven = true;
    this.#around.told(frame as unknown as FingerEvent);
  }

  /** Whether the other side is still there: it answers, or says something by itself. */
  #look(connection: Connection): void {
    if (!connection.isAlive) {
      this.#giveUp(connection);
      return;
    }
    connection.isAlive = false;
    this.#say(connection, { type: 'ping' }).catch(() => {});
  }

  /** Whether the daemon answers: by this connection, or else a probe. */
  async #feel(connection: Connection): Promise<void> {
    if (connection.isHeard) {
      connection.isHeard = false;
      this.#say(connection, { type: 'ping' }).catch(() => {});
      return;
    }
    if (connection.isProbed) return;
    connection.isProbed = true;
    const found = await this.#around.silence.probe();
    connection.isProbed = false;
    if (found !== 'silent' || connection.isHeard || this.#connection !== connection) return;
    const error = silent();
    this.#giveUp(connection, error);
    this.#around.report(error);
  }

  #giveUp(connection: Connection, why?: Error): void {
    connection.socket.terminate?.();
    connection.socket.close();
    this.#lost(connection, 0, why);
  }

  #lost(connection: Connection, code: number, why?: Error): void {
    if (this.#connection !== connection) return;
    this.#drop(connection, why);
    if (!this.#reconnects) {
      this.#enter('disconnected');
      return;
    }
    this.#enter('reconnecting');
    if (this.#farewell.signal.aborted) return;
    this.#opening = this.#again(connection.isProven || code === AGAIN, this.#farewell.signal);
    // It need not be awaited.
    this.#opening.catch(() => {});
  }

  #drop(connection: Connection, why: Error = new FingerConnectionError('The connection was closed')): void {
    if (this.#connection === connection) this.#connection = undefined;
    connection.isOver = true;
    clearInterval(connection.heartbeat);
    clearInterval(connection.pulse);
    for (const answer of connection.unanswered.splice(0)) answer(why);
  }

  /** Connects anew, the first time at once where the connection before was of use. */
  async #again(atOnce: boolean, farewell: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1 || !atOnce) await pause(this.#timing.reconnectInterval, farewell);
        await this.#open(farewell);
        this.#opening = undefined;
        return;
      } catch (error) {
        if (farewell.aborted) throw error;
        if (attempt >= this.#timing.maxReconnectAttempts) {
          this.#opening = undefined;
          this.#enter('disconnected');
          this.#around.report(error);
          throw error;
        }
      }
    }
  }

  #enter(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#around.changed(state);
  }
}

/** Waits, unless it is time to leave. */
function pause(milliseconds: number, farewell: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(farewell.reason);
    };
    const timer = setTimeout(() => {
      farewell.removeEventListener('abort', leave);
      resolve();
    }, milliseconds);
    if (farewell.aborted) leave();
    else farewell.addEventListener('abort', leave, { once: true });
  });
}
