/**
 * The closed set of kinds of failures. Each kind is one gRPC status code; the only table is in
 * `grpc-code.ts`.
 */
export type FaultKind =
  | 'cancelled'
  | 'unknown'
  | 'invalid-argument'
  | 'deadline-exceeded'
  | 'not-found'
  | 'already-exists'
  | 'permission-denied'
  | 'resource-exhausted'
  | 'failed-precondition'
  | 'aborted'
  | 'out-of-range'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'data-loss'
  | 'unauthenticated';

/**
 * A failure with a kind. The message is for people: it starts in lower case, names what failed and the value
 * that caused it, says what to do if that is known, and never contains a secret, because it may be sent over
 * the network.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
