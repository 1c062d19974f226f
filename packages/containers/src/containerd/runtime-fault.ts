import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';

/** Failures that containerd reports only as text, or with an unsuitable code. */
const kindsByWords: readonly (readonly [RegExp, FaultKind])[] = [
  [/no space left on device|disk quota exceeded/i, 'resource-exhausted'],
  [
    /unexpected commit (digest|size)|wrong diff id|unexpected EOF|invalid (tar )?header|(gzip|flate|zstd): /i,
    'data-loss',
  ],
];

/** Texts of the gRPC library for a socket without a server, or with a lost connection. */
const gone =
  /no connection established|connection dropped|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|socket hang up|transport/i;

/** Converts the error of a failed call to containerd. Faults and aborts pass unchanged. */
export function runtimeFault(error: unknown): Fault {
  const fault = faultFrom(error);
  if (error instanceof Fault || fault.kind === 'cancelled') return fault;
  const { message } = fault;
  const said = kindsByWords.find(([words]) => words.test(message))?.[1];
  const isGone = said === undefined && fault.kind === 'unavailable' && gone.test(message);
  const text = isGone ? `containerd does not answer: ${message}` : `containerd: ${message}`;
  return new Fault(said ?? fault.kind, text, { cause: error });
}
