import type { Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';

/** A node that sends nothing for so long while it is asked for something does not answer any more. */
export const maxSilenceMs = 30_000;
/** The same for one short call, of which a collector makes many. */
export const maxCallMs = 20_000;

/**
 * Waits for an answer, but no longer than this. Then the signal that `ask` got is aborted too.
 *
 * @throws Fault `deadline-exceeded` when the time is over, and whatever `ask` throws
 */
export async function withinSilence<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { timers, silenceMs, signal }: SilenceLimit,
): Promise<T> {
  const stop = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => {
    stop.abort(signal.reason);
    reject(new Fault('cancelled', 'interrupted'));
  };
  if (signal.aborted) throw new Fault('cancelled', 'interrupted');
  signal.addEventListener('abort', onAbort, { once: true });
  using _timer = timers.after(silenceMs, () => {
    reject(silenceFault(silenceMs));
    stop.abort();
  });
  try {
    ask(stop.signal).then(resolve, reject);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export interface SilenceLimit {
  readonly timers: Timers;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/**
 * The pieces of a content. Only the time between the request for a piece and its arrival counts, not that in which the reader
 * is busy. The content gets a signal that is aborted when it was silent for too long, or when the given one is.
 *
 * @throws Fault `deadline-exceeded` when it was silent for too long, and whatever the content throws
 */
export async function* untilSilent<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  limit: SilenceLimit,
): AsyncGenerator<T> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(limit.signal.reason);
  limit.signal.addEventListener('abort', onAbort, { once: true });
  if (limit.signal.aborted) onAbort();
  let pieces: AsyncIterator<T> | undefined;
  try {
    pieces = open(stop.signal)[Symbol.asyncIterator]();
    for (;;) {
      const following = pieces;
      const { value, done } = await withinSilence(() => following.next(), limit);
      if (done) return;
      yield value;
    }
  } finally {
    limit.signal.removeEventListener('abort', onAbort);
    // Ends the call of a content that is silent, and of one that nobody reads to its end.
    stop.abort();
    // Not awaited, because a content that hangs does not end.
    pieces?.return?.().catch(() => {});
  }
}

function silenceFault(silenceMs: number): Fault {
  return new Fault('deadline-exceeded', `no data for ${silenceMs / 1000}s`);
}
