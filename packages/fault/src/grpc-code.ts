import type { FaultKind } from './fault.ts';

/** The kinds in the order of their gRPC codes, 1 to 16. Source: gRPC core, status codes. */
const kindsByCode = [
  'cancelled',
  'unknown',
  'invalid-argument',
  'deadline-exceeded',
  'not-found',
  'already-exists',
  'permission-denied',
  'resource-exhausted',
  'failed-precondition',
  'aborted',
  'out-of-range',
  'unimplemented',
  'internal',
  'unavailable',
  'data-loss',
  'unauthenticated',
] as const satisfies readonly FaultKind[];

/** Names as programs in Go print them, so that users can compare our messages with theirs. */
const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** The gRPC status code (1 to 16) of a kind. */
export function grpcCodeFromKind(kind: FaultKind): number {
  return kindsByCode.indexOf(kind) + 1;
}

/**
 * The kind of a gRPC status code. Codes outside 1 to 16 are `unknown`, as the gRPC specification requires.
 */
export function kindFromGrpcCode(code: number): FaultKind {
  return kindsByCode[code - 1] ?? 'unknown';
}

/** Source: OpenTelemetry semantic conventions, gRPC. */
const serverFailures: ReadonlySet<FaultKind> = new Set([
  'unknown',
  'deadline-exceeded',
  'unimplemented',
  'internal',
  'unavailable',
  'data-loss',
]);

/**
 * Whether a server that ends a call with a fault of this kind has failed itself, so that the span of the call is an error. All
 * other kinds say what is wrong with the call. For a client every kind is an error.
 */
export function isServerFailure(kind: FaultKind): boolean {
  return serverFailures.has(kind);
}

/**
 * The text of a gRPC code in its specification: `NOT_FOUND` for 5, `CODE_99` for an unknown number. Source:
 * gRPC core, status codes.
 */
export function grpcStatusText(code: number): string {
  if (code === 0) return 'OK';
  return kindsByCode[code - 1]?.toUpperCase().replaceAll('-', '_') ?? `CODE_${code}`;
}

/** The name of a gRPC code: `PermissionDenied` for 7, `Code(99)` for an unknown number. */
export function grpcCodeName(code: number): string {
  return codeNames[code] ?? `Code(${code})`;
}
