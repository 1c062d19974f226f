import { ports } from '@nodewright/contract';
import type { MemberSpec } from '@nodewright/state/kinds';
import { isIpAddress } from './is-ip-address.ts';

/** Where a trustd may be reached. */
export interface TrustdEndpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * The control planes that a worker may ask for its certificate: the host of the cluster's endpoint and the addresses
 * of the control planes it knows; addresses first, then names. Source: Talos v1.14: worker flow, endpoints.
 *
 * @param clusterEndpoint URL of the Kubernetes control plane; empty or broken gives no host.
 */
export function trustdEndpoints(
  clusterEndpoint: string,
  members: readonly Pick<MemberSpec, 'addresses' | 'machineType'>[],
): TrustdEndpoint[] {
  const controlPlanes = members.filter(
    ({ machineType }) => machineType === 'controlplane' || machineType === 'init',
  );
  const endpointHost = URL.parse(clusterEndpoint)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const hosts = new Set([endpointHost, ...controlPlanes.flatMap(({ addresses }) => addresses)]);
  hosts.delete('');
  const addressesFirst = (host: string) => (isIpAddress(host) ? 0 : 1);
  return [...hosts]
    .sort((a, b) => addressesFirst(a) - addressesFirst(b) || (a < b ? -1 : 1))
    .map((host) => ({ host, port: ports.trustd }));
}

/** The same endpoints in random order: the load of many workers spreads over the control planes. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
