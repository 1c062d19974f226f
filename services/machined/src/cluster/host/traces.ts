import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';

/**
 * Runs what goes on as long as the node does outside of the span in which it happens to be begun. Modules are loaded
 * before there is any span.
 */
export const outsideOfSpans: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/**
 * Does what is done again and again, and tells every hop that it belongs to no trace: else each heartbeat of each node
 * would be one. Source: W3C Trace Context, sampled flag.
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

/** Does `work` in a span that begins a trace of its own. */
export const inOwnTrace = <T>(telemetry: Telemetry, name: string, work: () => Promise<T>): Promise<T> =>
  inSpan(telemetry, name, work, { parent: '' });
