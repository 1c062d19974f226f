import { ports } from '@nodewright/contract';
import { compareByBytes } from '@nodewright/state';
import type { EndpointSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/** Where a trustd may be reached. */
export interface TrustdEndpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * The control planes that a worker may ask for its certificate, of all that are known: addresses first, then names, each
 * once. Source: Talos v1.14: worker flow, endpoints.
 */
export function trustdEndpoints(known: readonly EndpointSpec[]): TrustdEndpoint[] {
  const sorted = (hosts: readonly string[]) => [...new Set(hosts)].sort(compareByBytes);
  const addresses = sorted(known.flatMap((endpoint) => endpoint.addresses));
  const names = sorted(known.flatMap((endpoint) => endpoint.hosts));
  return [...addresses, ...names].map((host) => ({ host, port: ports.trustd }));
}

/**
 * The control plane that the configuration names: the host of the cluster's endpoint. A name stays one, and whoever dials
 * it resolves it then. Undefined where the configuration names none. Source: Talos v1.14: Endpoints, controlplane.
 *
 * @param clusterEndpoint URL of the Kubernetes control plane
 */
export function configuredEndpoint(clusterEndpoint: string): EndpointSpec | undefined {
  const host = URL.parse(clusterEndpoint)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (host === '') return undefined;
  return isIpAddress(host) ? { addresses: [host], hosts: [] } : { addresses: [], hosts: [host] };
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
