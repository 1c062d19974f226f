import { pause } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { CallFault } from '@nodewright/client';
import { type Fault, faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import type { NodeEvent } from '../model/events.ts';

/** What everything that asks a node is given. */
export interface FeedContext {
  readonly node: NodeClient;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Tells what the node said; nothing is told once the signal has aborted. */
  readonly emit: (event: NodeEvent) => void;
  readonly now: () => Date;
}

/** How long after a failure a node is asked again. */
export const retryMs = 3000;

/** Whether the node has no such thing, or does not tell: it need not be asked again. */
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
 * Does `body` again and again, with a pause after each failure, until the signal aborts or it is of no use.
 *
 * @param onFailure is given the failure in words
 */
export async function keepTrying(
  signal: AbortSignal,
  body: () => Promise<void>,
  onFailure: (message: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await body();
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultFrom(error);
      onFailure(plainError(fault.message));
      if (isFinal(fault)) return;
    }
    await pause(retryMs, signal);
  }
}

/** Where on the way it failed, when that is known. */
export const hopOf = (fault: unknown): string | undefined =>
  fault instanceof CallFault ? fault.hop : undefined;

/** Collects items for a moment, so that a thousand lines are one event. The rest is handed over by `flush`. */
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
