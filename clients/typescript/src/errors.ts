// What can go wrong between a program and a daemon.

import type { components } from './generated/api.js';

/** A name of a reason, for programs. */
export type ErrorCode = components['schemas']['Refusal']['code'];

/** Everything that this package throws by itself is one of these. */
export class FingerError extends Error {
  override name = 'FingerError';
}

/** The daemon has said no. */
export class FingerApiError extends FingerError {
  override name = 'FingerApiError';
  /** The reason, for programs; absent where something that is no daemon has answered. */
  readonly code: ErrorCode | undefined;
  /** The reason in words. */
  readonly reason: string;
  /** What it is about. */
  readonly details: Record<string, unknown>;

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The answer as it came. */
    readonly body: string,
  ) {
    super(`API error: ${status} - ${body}`);
    const said = refusal(body);
    this.code = said?.code;
    this.reason = said?.error ?? body;
    this.details = said?.details ?? {};
  }
}

/** The daemon did not answer, or its answer was not understood. */
export class FingerConnectionError extends FingerError {
  override name = 'FingerConnectionError';
}

/**
 * The daemon takes connections and answers nothing, neither the request nor `GET /api/v1/modules`: it is stuck or stopped.
 * What was asked may still be done once it goes on.
 */
export class FingerUnresponsiveError extends FingerConnectionError {
  override name = 'FingerUnresponsiveError';
}

/** The time was up. */
export class FingerTimeoutError extends FingerError {
  override name = 'FingerTimeoutError';
}

/** Events were missed: the daemon does not keep them any more, or is another one now. */
export class FingerGapError extends FingerError {
  override name = 'FingerGapError';

  constructor(
    /** The number of the oldest event that can still be told. */
    readonly oldestSeq: number,
  ) {
    super(`Events were missed: the oldest that are kept begin with ${oldestSeq}`);
  }
}

type Refusal = { error: string; code: ErrorCode; details?: Record<string, unknown> };

function refusal(body: string): Refusal | undefined {
  try {
    const said: unknown = JSON.parse(body);
    const isOne = typeof said === 'object' && said !== null && 'error' in said && 'code' in said;
    return isOne ? (said as Refusal) : undefined;
  } catch {
    return undefined;
  }
}
