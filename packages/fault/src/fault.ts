/**
 * The closed set of ways in which something fails here. One kind corresponds to one gRPC status code; the table is
 * in `grpc-code.ts` and nowhere else.
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
 * A failure with a kind. The message is for people: lower case, names what failed and the value that made it fail,
 * says what to do where that is known, and never holds a secret: it may cross the wire.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
