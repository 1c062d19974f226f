import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';

/**
 * Runs background work outside of the span in which it is started. This module is loaded before any span
 * begins, so the snapshot has none.
 */
export const outsideOfSpans: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/**
 * Runs periodic work without a trace, and marks it as not sampled for all further hops: otherwise each
 * heartbeat of each node would be a trace. Source: W3C Trace Context, sampled flag.
 */
export function untraced<T>(telemetry: Telemetry, work: () => T): T {
  const parent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
  const span = telemetry.startSpan('background', { parent });
  try {
    return telemetry.withSpan(span, work);
  } finally {
    span.end();
  }
}

/** Runs `work` in the first span of a new trace. */
export const inOwnTrace = <T>(telemetry: Telemetry, name: string, work: () => Promise<T>): Promise<T> =>
  inSpan(telemetry, name, work, { parent: '' });
