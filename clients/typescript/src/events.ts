// Events, as the daemon sends them.

import type { Payloads } from './generated/events.js';

/** A type of event. */
export type EventType = keyof Payloads;

/** An event of one type. */
export interface EventOf<T extends EventType> {
  type: T;
  /** The session that it belongs to. */
  sessionId: string | null;
  /** When it happened, as ISO 8601 writes it. */
  timestamp: string;
  /** What there is to say of it. */
  payload: Payloads[T];
  /** Its number: later events have greater ones. */
  seq: number;
  /** Its name. */
  eventId: string;
  workflowId?: string;
  taskId?: string;
  agentId?: string;
}

/** An event of any type; `type` says which `payload` it has. */
export type FingerEvent = { [T in EventType]: EventOf<T> }[EventType];

/** The events that a pattern can mean: one type, or with a `*` in it whatever has such a name. */
export type EventsOf<Pattern extends string> = Pattern extends EventType
  ? Extract<FingerEvent, { type: Pattern }>
  : FingerEvent;

/** Receives events. Its exceptions and rejections affect no other handler. */
export type EventHandler<E = FingerEvent> = (event: E) => unknown;
