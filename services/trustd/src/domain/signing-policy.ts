import { Fault } from '@nodewright/fault';
import { type SigningPolicy, validityFrom } from '@nodewright/pki';
import { trustdLimits } from './limits.ts';

/** Lifetime of a certificate for a joining node, in hours. */
const lifetimeHours = 24;

/**
 * The certificate that trustd issues for every request: for a server, with a common name as its whole subject, because
 * organisations are roles. Source: Talos v1.14: trustd signing policy.
 */
export function signingPolicy(now: Date): SigningPolicy {
  return {
    subject: 'common-name',
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    ...validityFrom(now.getTime(), lifetimeHours),
  };
}

const maxRequestSizeBytes = trustdLimits.certificateRequestBytes;

/**
 * Rejects a request that is larger than any node sends, before it is parsed.
 * @throws Fault `invalid-argument`
 */
export function assertRequestSize(sizeBytes: number): void {
  if (sizeBytes <= maxRequestSizeBytes) return;
  throw new Fault('invalid-argument', `the CSR has ${sizeBytes} bytes, more than ${maxRequestSizeBytes}`);
}
