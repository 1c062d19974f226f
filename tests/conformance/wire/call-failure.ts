import { grpcCodeName } from '@nodewright/fault';

/** Status codes of gRPC that the checks speak of. */
export const codes = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** How a call ended. */
export interface CallStatus {
  readonly code: number;
  readonly message: string;
}

/** A call that ended with another status than OK. */
export class CallFailure extends Error {
  readonly code: number;
  readonly text: string;

  constructor({ code, message }: CallStatus) {
    super(`${grpcCodeName(code)} "${message}"`);
    this.code = code;
    this.text = message;
  }
}
