import { ports } from '@nodewright/contract';
import { compareByBytes } from '@nodewright/state';
import type { EndpointSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/** The address of a trustd. */
export interface TrustdEndpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * The trustd endpoints of all known control planes, from which a worker may request its certificate:
 * addresses first, then names, each once. Source: Talos v1.14: worker flow, endpoints.
 */
export function trustdEndpoints(known: readonly EndpointSpec[]): TrustdEndpoint[] {
  const sorted = (hosts: readonly string[]) => [...new Set(hosts)].sort(compareByBytes);
  const addresses = sorted(known.flatMap((endpoint) => endpoint.addresses));
  const names = sorted(known.flatMap((endpoint) => endpoint.hosts));
  return [...addresses, ...names].map((host) => ({ host, port: ports.trustd }));
}

/**
 * The host of the cluster endpoint in the configuration. A name is not resolved here but when a client dials
 * it. `undefined` when the configuration sets no endpoint. Source: Talos v1.14: Endpoints, controlplane.
 *
 * @param clusterEndpoint URL of the Kubernetes control plane
 */
export function configuredEndpoint(clusterEndpoint: string): EndpointSpec | undefined {
  const host = URL.parse(clusterEndpoint)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (host === '') return undefined;
  return isIpAddress(host) ? { addresses: [host], hosts: [] } : { addresses: [], hosts: [host] };
}

/** Returns the same values in random order, so that the load of many workers spreads over the control planes. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
