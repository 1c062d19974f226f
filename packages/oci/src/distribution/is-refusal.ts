import type { Fault } from '@nodewright/fault';

/**
 * Whether a registry has answered that it lacks the content, or does not give it to this caller. Every other failure leaves open whether the
 * content exists and whether it is allowed: what was known before still counts.
 */
export const isRefusal = ({ kind }: Fault): boolean =>
  kind === 'not-found' || kind === 'unauthenticated' || kind === 'permission-denied';

/**
 * The failure of several places that were asked for the same content: the last one, but no refusal while another place may have the content
 * and could not be asked.
 */
export const decidingFault = (faults: readonly Fault[]): Fault | undefined =>
  faults.findLast((fault) => !isRefusal(fault)) ?? faults.at(-1);
