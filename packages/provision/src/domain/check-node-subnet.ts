import { Fault } from '@nodewright/fault';
import { effectiveConfig } from '@nodewright/machine-config';
import { overlaps, parseRange } from './ipv4-range.ts';

/**
 * Checks that the addresses of nodes are not those of pods and services, which Kubernetes would route elsewhere. The subnets are the
 * default ones; patches that set others are not checked.
 *
 * @param cidr of the nodes, IPv4
 * @param patches texts of the patches of the configuration
 * @throws Fault `invalid-argument` that names the other subnet
 */
export function checkNodeSubnet(cidr: string, patches: readonly string[]): void {
  if (patches.some((text) => /\b(?:pod|service)Subnets\b/.test(text))) return;
  const { podSubnets, serviceSubnets } = effectiveConfig([]).cluster;
  const taken = { pods: podSubnets, services: serviceSubnets };
  for (const [what, subnets] of Object.entries(taken)) {
    const other = subnets.find((subnet) => isOverlap(cidr, subnet));
    if (other === undefined) continue;
    throw new Fault(
      'invalid-argument',
      `the addresses ${cidr} of nodes are among those of Kubernetes ${what} (${other}): use another --cidr, or set other subnets with --config-patch`,
    );
  }
}

function isOverlap(a: string, b: string): boolean {
  const [first, second] = [parseRange(a), parseRange(b)];
  return first !== undefined && second !== undefined && overlaps(first, second);
}
