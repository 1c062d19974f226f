import { Fault } from '@nodewright/fault';
import type { SigningPolicy } from '@nodewright/pki';

/** Lifetime of a certificate for a joining node, in hours. */
const lifetimeHours = 24;

/**
 * What trustd grants, whatever the request asks for: a server certificate without organisations, which are roles.
 * Names and addresses are those of the request. Source: Talos v1.14: trustd signing policy.
 */
export function signingPolicy(now: Date): SigningPolicy {
  return {
    organizations: 'strip',
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: now,
    lifetimeHours,
  };
}

/** Room for about a thousand names and addresses; a request of a node takes less than one kilobyte. */
const maxRequestSizeBytes = 64 * 1024;

/** Throws a Fault `invalid-argument` for a request that no node sends, before anything reads it. */
export function assertRequestSize(sizeBytes: number): void {
  if (sizeBytes <= maxRequestSizeBytes) return;
  throw new Fault('invalid-argument', `the CSR has ${sizeBytes} bytes, more than ${maxRequestSizeBytes}`);
}
