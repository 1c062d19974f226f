import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import { ServerError } from 'nice-grpc';

/** The gRPC status for the error of a handler; OK without an error. */
export function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  if (error === undefined) return { code: 0, details: '' };
  if (error instanceof ServerError) return { code: error.code, details: error.details };
  const { kind, message } = faultFrom(error);
  return { code: grpcCodeFromKind(kind), details: message };
}
