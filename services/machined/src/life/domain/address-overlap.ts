import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { holds, parsePrefix } from '../../base/domain/prefix.ts';

export interface OverlapFacts {
  /** The node's addresses with their prefix lengths. */
  readonly addresses: readonly string[];
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
}

/**
 * A message if the node is in a network that Kubernetes uses for pods or services, so that packets would
 * reach the wrong destination. Undefined without an overlap. Source: Talos v1.14: COSI resources,
 * Diagnostics.
 */
export function addressOverlap({
  addresses,
  podSubnets,
  serviceSubnets,
}: OverlapFacts): DiagnosticSpec | undefined {
  const subnets = [...podSubnets, ...serviceSubnets];
  if (!addresses.some((address) => subnets.some((subnet) => isOverlap(address, subnet)))) return undefined;
  return {
    message: 'host and Kubernetes pod/service CIDR addresses overlap',
    details: [
      `host addresses: ${addresses.join(', ')}`,
      `pod CIDRs: ${podSubnets.join(', ')}`,
      `service CIDRs: ${serviceSubnets.join(', ')}`,
    ],
  };
}

/** Two networks overlap when one contains the address of the other. Invalid texts overlap nothing. */
function isOverlap(a: string, b: string): boolean {
  const [left, right] = [parsePrefix(a), parsePrefix(b)];
  return left !== undefined && right !== undefined && (holds(left, right) || holds(right, left));
}
