import type { Fault } from '@nodewright/fault';

/**
 * Whether a registry has answered that it lacks the content, or does not give it to this caller. Every other failure leaves open whether the
 * content exists and whether it is allowed: what was known before still counts.
 */
export const isRefusal = ({ kind }: Fault): boolean =>
  kind === 'not-found' || kind === 'unauthenticated' || kind === 'permission-denied';
