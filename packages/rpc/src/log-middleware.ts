import { isReaderRead } from '@nodewright/contract';
import { grpcCodeName } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { CallContext, Metadata, ServerMiddleware } from 'nice-grpc';
import { statusOf } from './status-of.ts';

/**
 * Metadata whose values must not appear in a log. Source: Talos v1.14: request log, widened by
 * `authorization`.
 */
const hiddenKeys: ReadonlySet<string> = new Set(['token', 'authorization']);

/** The message of the line of each finished request. */
export const requestLineMessage = 'request finished';

const annotations = new WeakMap<Metadata, Record<string, unknown>>();

/** Adds facts to the log line of the current request, for example what the role check found. */
export function annotateRequest(context: CallContext, facts: Record<string, unknown>): void {
  annotations.set(context.metadata, { ...annotations.get(context.metadata), ...facts });
}

const quiet = new WeakSet<Metadata>();

/** Leaves the current request out of the log unless it fails, for requests that repeat very often. */
export function keepOutOfLog(context: CallContext): void {
  quiet.add(context.metadata);
}

const reportable = new WeakSet<Metadata>();

/** Logs the current request at `info` although its method is one for readers: it reads what only administrators may read. */
export function logAtInfo(context: Pick<CallContext, 'metadata'>): void {
  reportable.add(context.metadata);
}

function shownMetadata(metadata: Metadata): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [key, values] of metadata) {
    if (key === 'peer') continue;
    shown[key] = hiddenKeys.has(key) ? '<hidden>' : values.map(String).join(',');
  }
  return shown;
}

/**
 * Logs one line per finished request, at `debug` when it has only read what `os:reader` may read, and succeeded. It wraps every
 * middleware that may reject the request. Health checks are not logged.
 */
export function createLogMiddleware(log: Logger): ServerMiddleware {
  return async function* logMiddleware(call, context) {
    if (call.method.path.startsWith('/grpc.health.v1.')) return yield* call.next(call.request, context);
    const start = performance.now();
    let error: unknown;
    try {
      return yield* call.next(call.request, context);
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      const status = statusOf(error);
      const facts = () => ({
        method: call.method.path,
        code: grpcCodeName(status.code),
        durationMs: Math.round((performance.now() - start) * 1000) / 1000,
        peer: context.peer,
        ...(error === undefined ? {} : { error: status.details }),
        ...annotations.get(context.metadata),
        metadata: shownMetadata(context.metadata),
      });
      const { metadata } = context;
      const isRoutine = error === undefined && isReaderRead(call.method.path) && !reportable.has(metadata);
      const level = isRoutine ? 'debug' : 'info';
      const isWritten = (error !== undefined || !quiet.has(metadata)) && log.isLevelEnabled(level);
      if (isWritten) log[level](facts(), requestLineMessage);
    }
  };
}
