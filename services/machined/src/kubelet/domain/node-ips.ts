import type { EffectiveConfig } from '@nodewright/machine-config';
import type { NodeIpConfigSpec } from '@nodewright/state/kinds';
import { addressOf, holds, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';

const everyAddress = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/**
 * From which subnets the addresses of the node are chosen: those of the configuration, by default all of the families that
 * services have. Virtual addresses are excluded, because they move to other nodes. Source: Talos v1.14: kubelet, node IP.
 *
 * @param sharedAddresses virtual addresses of the cluster
 */
export function nodeIpConfigFrom(
  { cluster, node }: Pick<EffectiveConfig, 'cluster' | 'node'>,
  sharedAddresses: readonly string[],
): NodeIpConfigSpec {
  const { podSubnets, serviceSubnets } = cluster;
  const families = new Set(serviceSubnets.flatMap((subnet) => parsePrefix(subnet)?.family ?? []));
  return {
    validSubnets:
      node.validSubnets.length > 0 ? node.validSubnets : [...families].map((family) => everyAddress[family]),
    excludeSubnets: [...podSubnets, ...serviceSubnets, ...sharedAddresses],
  };
}

/**
 * The addresses that the kubelet registers: of those that match, the first of each family. A subnet that begins with `!`
 * excludes.
 *
 * @param addresses addresses or prefixes, in the order of preference
 */
export function chooseNodeIps(
  { validSubnets, excludeSubnets }: NodeIpConfigSpec,
  addresses: readonly string[],
): string[] {
  const included = prefixesOf(validSubnets.filter((subnet) => !subnet.startsWith('!')));
  const excluded = prefixesOf([
    ...excludeSubnets,
    ...validSubnets.filter((subnet) => subnet.startsWith('!')).map((subnet) => subnet.slice(1)),
  ]);
  const isValid = (prefix: Prefix) =>
    (included.length === 0 || included.some((subnet) => holds(subnet, prefix))) &&
    !excluded.some((subnet) => holds(subnet, prefix));
  const found = addresses.map(addressOf).flatMap((address) => {
    const prefix = parsePrefix(address);
    return prefix !== undefined && isValid(prefix) ? [{ address, family: prefix.family }] : [];
  });
  return ([4, 6] as const).flatMap((family) => found.find((each) => each.family === family)?.address ?? []);
}

const prefixesOf = (subnets: readonly string[]) => subnets.flatMap((subnet) => parsePrefix(subnet) ?? []);
