import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';

/** What containerd says only in words, or with a code that means something else here. */
const kindsByWords: readonly (readonly [RegExp, FaultKind])[] = [
  [/no space left on device|disk quota exceeded/i, 'resource-exhausted'],
  [
    /unexpected commit (digest|size)|wrong diff id|unexpected EOF|invalid (tar )?header|(gzip|flate|zstd): /i,
    'data-loss',
  ],
];

/** How the library says that nobody answers at the socket, or nobody does any more. */
const gone =
  /no connection established|connection dropped|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|socket hang up|transport/i;

/** A failed call to containerd. Faults and aborts pass. */
export function runtimeFault(error: unknown): Fault {
  const fault = faultFrom(error);
  if (error instanceof Fault || fault.kind === 'cancelled') return fault;
  const { message } = fault;
  const said = kindsByWords.find(([words]) => words.test(message))?.[1];
  const isGone = said === undefined && fault.kind === 'unavailable' && gone.test(message);
  const text = isGone ? `containerd does not answer: ${message}` : `containerd: ${message}`;
  return new Fault(said ?? fault.kind, text, { cause: error });
}
