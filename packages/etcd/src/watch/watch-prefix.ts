import { pause } from '@nodewright/async';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import { type EtcdFault, etcdReasonOf } from '../etcd-fault.ts';
import { prefixRange } from '../keys/key-range.ts';
import type { KeyValues } from '../keys/key-value.ts';
import type { PrefixUpdate, WatchOptions } from './prefix-watch.ts';
import { watchRange } from './watch-range.ts';

const firstPauseMs = 100;
const longestPauseMs = 2_000;

export interface PrefixWatchInit {
  readonly endpoints: EndpointSet;
  readonly prefix: string;
  list(prefix: string, signal: AbortSignal): Promise<KeyValues>;
}

/** A watch that continues after lost connections. */
export async function* watchPrefix(
  { endpoints, prefix, list }: PrefixWatchInit,
  wanted: AbortSignal,
  { onFailure }: WatchOptions = {},
): AsyncGenerator<PrefixUpdate> {
  const signal = AbortSignal.any([wanted, endpoints.closed]);
  const range = prefixRange(prefix);
  let pauseMs = firstPauseMs;
  /** The next revision to receive; undefined: all keys must be read again. */
  let from: bigint | undefined;
  while (!signal.aborted) {
    try {
      if (from === undefined) {
        const { keyValues, revision } = await list(prefix, signal);
        from = revision + 1n;
        yield { kind: 'all', keyValues, revision };
      }
      for await (const { changes, revision } of watchRange(endpoints, { ...range, from }, signal)) {
        pauseMs = firstPauseMs;
        // A reply of a member that lags behind must not move the watch backwards.
        if (revision >= from) from = revision + 1n;
        if (changes.length > 0) yield { kind: 'changes', changes, revision };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (etcdReasonOf(error) === 'compacted') {
        from = undefined;
        continue;
      }
      onFailure?.(error as EtcdFault);
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
}
