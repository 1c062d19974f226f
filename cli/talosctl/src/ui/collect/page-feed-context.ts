import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { isFinal } from '../../dashboard/feed/feed-context.ts';
import { plainError } from '../../render/plain-error.ts';
import type { NodeConfigurations } from '../act/node-configurations.ts';
import type { FeedEvent } from '../protocol/messages.ts';

/** Input of every feed of a page. */
export interface PageFeedContext {
  readonly node: NodeClient;
  readonly client: TalosClient;
  /** The text that lines of request logs about this program contain. */
  readonly session: string;
  /** Ends the feed when it aborts. */
  readonly signal: AbortSignal;
  /** Sends to the page. Events after the signal has aborted are dropped. */
  readonly emit: (event: FeedEvent) => void;
  readonly now: () => Date;
  /** What the page may show of configurations. */
  readonly configurations: NodeConfigurations;
}

/**
 * Reads at intervals what no watch reports, until the signal aborts or a retry is useless. A failure is sent as a problem.
 *
 * @param read has the time of one interval, and at least five seconds
 */
export async function readAtIntervals(
  { signal, emit }: PageFeedContext,
  intervalMs: number,
  read: (signal: AbortSignal) => Promise<FeedEvent>,
): Promise<void> {
  while (!signal.aborted) {
    const timely = AbortSignal.any([signal, AbortSignal.timeout(Math.max(5000, intervalMs))]);
    try {
      emit(await read(timely));
    } catch (error) {
      const fault = faultFrom(error);
      emit({ kind: 'problem', message: plainError(fault.message) });
      if (isFinal(fault)) return;
    }
    await pause(intervalMs, signal);
  }
}
