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
