// Decisions that this program answers: each is asked once, however often its event comes, and withdrawn when it has ended
// elsewhere.

import { FingerApiError, FingerConnectionError } from './errors.js';
import type { components } from './generated/api.js';

type Schemas = components['schemas'];

/** What a person is asked. */
export interface Decision extends Omit<Schemas['DecisionView'], 'options'> {
  /** What can be chosen; absent when the answer is free. */
  options?: string[];
  /** Why the answer before was not accepted, where it was not. */
  refused?: string;
}

/**
 * Answers a decision: with the text or number of an option, several of them (`1,3`), or any text if there are no options.
 * Returning nothing leaves the decision to others. `signal` is aborted when the answer is no longer wanted, because the decision
 * was answered elsewhere or the client disconnects.
 */
export type DecisionHandler = (
  decision: Decision,
  signal: AbortSignal,
) => Promise<string | null | undefined | void> | string | null | undefined | void;

/** Which decisions a handler answers. */
export interface DecisionScope {
  /**
   * Whose decisions: `own`, if nothing is said, are those of the workflows that this client has begun or resumed, and those that it has
   * asked for itself; `all` are those of everybody whom the daemon serves. A list names workflows, beside its own.
   */
  of?: 'own' | 'all' | readonly string[];
}

/** What is needed from around. */
export interface Counter {
  view(decisionId: string): Promise<Schemas['DecisionView']>;
  pending(): Promise<Schemas['DecisionView'][]>;
  /** Whether this client has asked for it, or has begun what waits for it. What is being begun may have to be waited for. */
  isOwn(view: Schemas['DecisionView']): boolean | Promise<boolean>;
  respond(decisionId: string, response: string, key: string): Promise<unknown>;
  /** A name for a request that may have to be sent again. */
  newKey(): string;
  /** Waits until there is a connection again; rejects when there will be none, or `signal` is aborted. */
  connected(signal: AbortSignal): Promise<void>;
  report(error: unknown): void;
}

/** How often a handler is asked for an answer that is accepted. */
const MOST_ASKED = 5;

export class DecisionDesk {
  readonly #counter: Counter;
  #handler: DecisionHandler | undefined;
  #scope: NonNullable<DecisionScope['of']> = 'own';
  /** What is being asked. */
  readonly #open = new Map<string, AbortController>();
  /** What the handler has left to others. */
  readonly #left = new Set<string>();
  /** What concerns others: the handler was not asked. */
  readonly #foreign = new Set<string>();

  constructor(counter: Counter) {
    this.#counter = counter;
  }

  get hasHandler(): boolean {
    return this.#handler !== undefined;
  }

  /** Replaces the handler that answers decisions. */
  setHandler(handler: DecisionHandler | undefined, scope: DecisionScope = {}): void {
    this.withdrawAll();
    this.#left.clear();
    this.#foreign.clear();
    this.#scope = scope.of ?? 'own';
    this.#handler = handler;
  }

  /** Removes `handler`, unless another has replaced it; returns whether it was removed. */
  removeHandler(handler: DecisionHandler): boolean {
    if (this.#handler !== handler) return false;
    this.setHandler(undefined);
    return true;
  }

  /** A decision is required. */
  required(decisionId: string): void {
    // If the event comes late, the decision may have ended long ago.
    this.#begin(decisionId, () => this.#counter.view(decisionId));
  }

  /** The decision was answered, or no longer can be. */
  ended(decisionId: string): void {
    this.#left.delete(decisionId);
    this.#foreign.delete(decisionId);
    this.#open.get(decisionId)?.abort();
  }

  /** Looks for what was missed; with `anew` also for what was left to others, because it may be this client's by now. */
  async refresh(anew = false): Promise<void> {
    if (!this.#handler) return;
    if (anew) this.#foreign.clear();
    const before = [...this.#open];
    let pending: Schemas['DecisionView'][];
    try {
      pending = await this.#counter.pending();
    } catch (error) {
      this.#counter.report(error);
      return;
    }
    const names = new Set(pending.map(({ decisionId }) => decisionId));
    for (const [decisionId, controller] of before) {
      if (!names.has(decisionId)) controller.abort();
    }
    for (const view of pending) this.#begin(view.decisionId, () => Promise.resolve(view));
  }

  /** Withdraws all questions from the handler. */
  withdrawAll(): void {
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  #begin(decisionId: string, view: () => Promise<Schemas['DecisionView']>): void {
    const handler = this.#handler;
    if (!handler || this.#open.has(decisionId) || this.#left.has(decisionId) || this.#foreign.has(decisionId)) return;
    const controller = new AbortController();
    this.#open.set(decisionId, controller);
    const { signal } = controller;
    this.#ask(handler, view, signal)
      .then((isLeft) => {
        if (isLeft && !signal.aborted) this.#left.add(decisionId);
      })
      .catch((error: unknown) => {
        // The error of a withdrawn question does not matter.
        if (signal.aborted) return;
        this.#left.add(decisionId);
        this.#counter.report(error);
      })
      .finally(() => {
        if (this.#open.get(decisionId) === controller) this.#open.delete(decisionId);
      });
  }

  /** Asks until an answer is accepted; returns whether it is left to others. */
  async #ask(
    handler: DecisionHandler,
    look: () => Promise<Schemas['DecisionView']>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const view = await this.#again(look, signal);
    if (signal.aborted || view.status !== 'pending') return false;
    const concerns = await this.#again(() => this.#concerns(view), signal);
    if (signal.aborted) return false;
    if (!concerns) {
      this.#foreign.add(view.decisionId);
      return false;
    }
    const { options, ...rest } = view;
    const decision: Decision = { ...rest, ...(options && { options }) };
    for (let asked = 1; ; asked += 1) {
      const answer = await handler(decision, signal);
      if (signal.aborted) return false;
      if (typeof answer !== 'string') return true;
      // One name for one answer: it counts once, however often it is sent.
      const key = this.#counter.newKey();
      try {
        await this.#again(() => this.#counter.respond(view.decisionId, answer, key), signal);
        return false;
      } catch (error) {
        if (!(error instanceof FingerApiError)) throw error;
        // Answered elsewhere, or expired.
        if (error.status === 409 || error.status === 404) return false;
        if (error.code !== 'INVALID_RESPONSE' || asked === MOST_ASKED) throw error;
        decision.refused = error.reason;
      }
    }
  }

  /** Whether the handler is asked for it. */
  async #concerns(view: Schemas['DecisionView']): Promise<boolean> {
    if (this.#scope === 'all') return true;
    const isNamed = typeof this.#scope !== 'string' && !!view.workflowId && this.#scope.includes(view.workflowId);
    return isNamed || (await this.#counter.isOwn(view));
  }

  /** Runs `act` until the daemon answers: a typed answer is not lost with a connection. */
  async #again<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof FingerConnectionError) || signal.aborted) throw error;
        await this.#counter.connected(signal);
      }
    }
  }
}
