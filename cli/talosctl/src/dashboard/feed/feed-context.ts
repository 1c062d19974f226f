import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { CallFault } from '@nodewright/client';
import { type Fault, faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import type { NodeEvent } from '../model/events.ts';

/** Input of every feed that reads from a node. */
export interface FeedContext {
  readonly node: NodeClient;
  /** For what concerns other nodes too. */
  readonly client: TalosClient;
  /** Ends the feed when it aborts. */
  readonly signal: AbortSignal;
  /** Publishes what the node reported. Events after the signal has aborted are dropped. */
  readonly emit: (event: NodeEvent) => void;
  readonly now: () => Date;
}

/** Pause before the retry after a failure. */
export const retryMs = 3000;

/** Whether the node does not have the data or does not permit to read it, so that a retry is useless. */
export function isFinal({ kind }: Fault): boolean {
  const kinds = [
    'permission-denied',
    'not-found',
    'invalid-argument',
    'unimplemented',
    'failed-precondition',
  ];
  return kinds.includes(kind);
}

/**
 * Runs `body` again and again, with a pause after each failure, until the signal aborts or a retry is
 * useless.
 *
 * @param onFailure receives the text of each failure, and whether it was the last attempt
 */
export async function keepTrying(
  signal: AbortSignal,
  body: () => Promise<void>,
  onFailure: (message: string, isFinal: boolean) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await body();
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultFrom(error);
      onFailure(plainError(fault.message), isFinal(fault));
      if (isFinal(fault)) return;
    }
    await pause(retryMs, signal);
  }
}

/** The hop that failed, if it is known. */
export const hopOf = (fault: unknown): string | undefined =>
  fault instanceof CallFault ? fault.hop : undefined;

/**
 * Collects items for a moment, so that a thousand lines make one event. `flush` publishes the remaining ones.
 */
export class Batch<T> {
  readonly #take: (items: readonly T[]) => void;
  #items: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(take: (items: readonly T[]) => void) {
    this.#take = take;
  }

  add(items: Iterable<T>): void {
    for (const item of items) this.#items.push(item);
    this.#timer ??= setTimeout(() => this.flush(), batchMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#take(items);
  }
}

const batchMs = 50;
