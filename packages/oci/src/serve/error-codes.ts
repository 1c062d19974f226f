import type { FaultKind } from '@nodewright/fault';

/** Source: OCI distribution specification, error codes. `UNKNOWN` is that of the registry of Docker, for other failures. */
export type ErrorCode =
  | 'BLOB_UNKNOWN'
  | 'DENIED'
  | 'DIGEST_INVALID'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_UNKNOWN'
  | 'TOOMANYREQUESTS'
  | 'UNKNOWN'
  | 'UNSUPPORTED';

/** The HTTP status of each failure that is not an internal one (500). Source: Talos v1.14: image cache. */
const statusByKind: Partial<Record<FaultKind, number>> = {
  'invalid-argument': 400,
  'permission-denied': 403,
  unauthenticated: 403,
  'not-found': 404,
  aborted: 502,
  unavailable: 502,
  'deadline-exceeded': 504,
  'resource-exhausted': 507,
};

export const statusOf = (kind: FaultKind) => statusByKind[kind] ?? 500;

/** The code of a failure for a manifest or a blob. */
export function codeOf(kind: FaultKind, content: 'manifest' | 'blob'): ErrorCode {
  if (kind === 'not-found') return content === 'blob' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN';
  if (kind === 'invalid-argument') return 'NAME_UNKNOWN';
  return kind === 'permission-denied' || kind === 'unauthenticated' ? 'DENIED' : 'UNKNOWN';
}

/** The body of an error. */
export const errorBody = (code: ErrorCode, message: string) =>
  Buffer.from(JSON.stringify({ errors: [{ code, message }] }));
