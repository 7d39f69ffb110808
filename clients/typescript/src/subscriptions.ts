// Who in this program wants to be told of which events.

import type { EventHandler, FingerEvent } from './events.js';
import { globMatches } from './glob.js';

interface Subscription {
  patterns: readonly string[];
  handler: EventHandler;
}

/** Subscriptions, in the order in which they were made. */
export class Subscriptions {
  readonly #all = new Set<Subscription>();

  /** Adds one, and returns what removes it. */
  add(patterns: readonly string[], handler: EventHandler): () => boolean {
    const subscription = { patterns: [...patterns], handler };
    this.#all.add(subscription);
    return () => this.#all.delete(subscription);
  }

  /** Returns the patterns of all of them, each once. */
  patterns(): Set<string> {
    return new Set([...this.#all].flatMap(({ patterns }) => patterns));
  }

  /** Passes an event once to each matching subscription; errors of handlers go to `report`. */
  tell(event: FingerEvent, report: (error: unknown) => void): void {
    // Those that are made meanwhile are for later events.
    for (const subscription of [...this.#all]) {
      const wants = this.#all.has(subscription) && subscription.patterns.some((pattern) => globMatches(pattern, event.type));
      if (wants) isolated(() => subscription.handler(event), report);
    }
  }
}

/** Calls something that may fail, now or later. */
export function isolated(call: () => unknown, report: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(report);
  } catch (error) {
    report(error);
  }
}
