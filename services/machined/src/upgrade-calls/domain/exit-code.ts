import type { FaultKind } from '@nodewright/fault';

/**
 * The exit codes of upstream's installer, which clients explain. Source: Talos v1.14: LifecycleService, exit codes.
 */
const exitCodes = {
  'invalid-argument': 2,
  'out-of-range': 2,
  // An artefact without a signature that counts is an input that cannot be used.
  'permission-denied': 2,
  unimplemented: 3,
  // Its version, its edition, the extensions or the etcd of this machine do not fit.
  'failed-precondition': 4,
  'already-exists': 4,
  unavailable: 5,
  unauthenticated: 5,
  'deadline-exceeded': 5,
  aborted: 5,
  'data-loss': 6,
  'resource-exhausted': 6,
} as const satisfies Partial<Record<FaultKind, number>>;

const general = 1;

/** The exit code for an installation or an upgrade that has failed. */
export const exitCodeOf = (kind: FaultKind): number =>
  Object.hasOwn(exitCodes, kind) ? exitCodes[kind as keyof typeof exitCodes] : general;
