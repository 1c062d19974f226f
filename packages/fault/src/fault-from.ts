import { Fault, type FaultKind } from './fault.ts';
import { kindFromGrpcCode } from './grpc-code.ts';

/** Errors of the operating system whose meaning does not depend on the operation. */
const kindsByErrno: Readonly<Record<string, FaultKind>> = {
  ENOENT: 'not-found',
  EEXIST: 'already-exists',
  EACCES: 'permission-denied',
  EPERM: 'permission-denied',
  ENOSPC: 'resource-exhausted',
  EDQUOT: 'resource-exhausted',
  EMFILE: 'resource-exhausted',
  ENFILE: 'resource-exhausted',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  EPIPE: 'unavailable',
  EHOSTUNREACH: 'unavailable',
  ENETUNREACH: 'unavailable',
  ENOTFOUND: 'unavailable',
  EAI_AGAIN: 'unavailable',
  ETIMEDOUT: 'deadline-exceeded',
};

/**
 * Converts any thrown value to a Fault. A Fault passes unchanged; a status of a gRPC library keeps its code
 * and text; an abort is `cancelled`; errors of the operating system get the kind of their errno; anything
 * else is `unknown`. When the clean-up after a failure has failed, too, the first failure counts, and the text has both. The original is
 * kept as `cause`.
 */
export function faultFrom(value: unknown): Fault {
  if (value instanceof Fault) return value;
  if (!(value instanceof Error)) return new Fault('unknown', String(value));
  if (isSuppressed(value)) {
    const first = faultFrom(value.suppressed);
    const text = `${first.message}; then the clean-up failed, too: ${faultFrom(value.error).message}`;
    return new Fault(first.kind, text, { cause: value });
  }
  if (value.name === 'AbortError') return new Fault('cancelled', 'the call was cancelled', { cause: value });
  if (value.name === 'TimeoutError') return new Fault('deadline-exceeded', value.message, { cause: value });

  const { code, details } = value as { code?: unknown; details?: unknown };
  if (typeof code === 'number' && typeof details === 'string') {
    return new Fault(kindFromGrpcCode(code), details, { cause: value });
  }
  const kind = typeof code === 'string' ? kindsByErrno[code] : undefined;
  return new Fault(kind ?? 'unknown', value.message, { cause: value });
}

/** By its name: the client also runs on a Node.js without this class, where `using` is compiled to code that imitates it. */
const isSuppressed = (error: Error): error is SuppressedError =>
  error.name === 'SuppressedError' && 'suppressed' in error && 'error' in error;
