import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';

/** The error of the engine's client for a response that is not a success. */
interface EngineAnswer extends Error {
  readonly statusCode: number;
  readonly json?: { readonly message?: string } | null;
}

/** Error texts of an engine; the first match counts. The status is 500 for nearly all of them. */
const kindsByWords: readonly (readonly [RegExp, FaultKind])[] = [
  [/no space left on device|disk quota exceeded/i, 'resource-exhausted'],
  [
    /no matching manifest|does not match the (specified|detected) .*platform|exec format error/i,
    'failed-precondition',
  ],
  [/toomanyrequests|too many requests/i, 'resource-exhausted'],
  [/authentication required|unauthorized|no basic auth credentials/i, 'unauthenticated'],
  [/access denied|denied:/i, 'permission-denied'],
  [
    /manifest unknown|name unknown|manifest for .* not found|no such (image|container)|repository .* not found/i,
    'not-found',
  ],
  [
    /verification failed|digest (mismatch|did not match)|unexpected end of (archive|file)|invalid tar header/i,
    'data-loss',
  ],
  [/invalid reference format|invalid argument/i, 'invalid-argument'],
  [
    /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake|Client\.Timeout|network is unreachable/i,
    'unavailable',
  ],
  [/EOF|connection reset|broken pipe|stream closed|short read/i, 'aborted'],
];

const kindsByStatus: Readonly<Record<number, FaultKind>> = {
  400: 'invalid-argument',
  401: 'unauthenticated',
  403: 'permission-denied',
  404: 'not-found',
  409: 'failed-precondition',
  503: 'unavailable',
};

/** Errors of the connection to the engine itself. */
const lostConnection = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTCONN',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/**
 * Converts a failure of a call to the engine. `what` is the beginning of the message: `cannot pull "x"`.
 *
 * @param socket path of the engine's socket, for messages about the connection.
 */
export function engineFault(what: string, error: unknown, socket: string, signal?: AbortSignal): Fault {
  if (error instanceof Fault) return error;
  if (signal?.aborted) return faultFrom(signal.reason);
  if (isAnswer(error)) {
    // For a response that is a stream, the client has only a text of its own.
    const said = (error.json?.message ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, '')).trim();
    if (error.statusCode === 409 && /already in use/i.test(said))
      return new Fault('already-exists', `${what}: ${said}`, { cause: error });
    const kind = kindOfWords(said) ?? kindsByStatus[error.statusCode] ?? 'unknown';
    return new Fault(kind, `${what}: ${said}`, { cause: error });
  }
  const { code, name, message } = error as NodeJS.ErrnoException;
  // The time limit has expired, in the client or in the code that watches it.
  if (code === 'ABORT_ERR' || name === 'TimeoutError')
    return new Fault('unavailable', `${what}: the engine at "${socket}" does not answer`);
  if (code === 'EACCES') {
    const text = `${what}: "${socket}" is not for user ${process.getuid?.()}: add the user to its group`;
    return new Fault('unavailable', text, { cause: error });
  }
  if ((code !== undefined && lostConnection.has(code)) || /socket hang up|aborted/.test(message))
    return new Fault('unavailable', `${what}: no Docker engine answers at "${socket}" (${code ?? message})`, {
      cause: error,
    });
  const fault = faultFrom(error);
  return new Fault(fault.kind, `${what}: ${fault.message}`, { cause: error });
}

/** Converts an error within a stream that began successfully. */
export function streamFault(what: string, said: string): Fault {
  return new Fault(kindOfWords(said) ?? 'unknown', `${what}: ${said.trim()}`);
}

function kindOfWords(said: string): FaultKind | undefined {
  return kindsByWords.find(([words]) => words.test(said))?.[1];
}

function isAnswer(error: unknown): error is EngineAnswer {
  return error instanceof Error && typeof (error as Partial<EngineAnswer>).statusCode === 'number';
}
