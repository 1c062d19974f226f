// Where KubePrism listens and which API servers it uses. Source: Talos v1.14: KubePrism.
import type { EffectiveConfig } from '@nodewright/machine-config';
import { runsApiServer } from '@nodewright/node-files';
import type { KubePrismEndpoint, MemberSpec } from '@nodewright/state/kinds';
import { isControlPlaneName } from '../../base/domain/control-plane-name.ts';

type Config = Pick<EffectiveConfig, 'machineType' | 'cluster'>;

/** How many API servers a node uses. */
export const maxEndpoints = 64;

/**
 * The API servers of the cluster: the endpoint of the cluster, that of this node, and those of all control planes.
 *
 * @param ownAddress address of the node's API server, set when other nodes share the host
 */
export function kubePrismEndpointsFrom(
  { machineType, cluster }: Config,
  members: readonly Pick<MemberSpec, 'machineType' | 'addresses' | 'controlPlane'>[],
  ownAddress: string | undefined,
): KubePrismEndpoint[] {
  const own = runsApiServer({ machineType, cluster })
    ? [{ host: ownAddress ?? 'localhost', port: cluster.apiServerPort }]
    : [];
  const others = members.flatMap(({ machineType, addresses, controlPlane }) =>
    controlPlane === undefined || !isControlPlaneName(machineType)
      ? []
      : addresses.map((host) => ({ host, port: controlPlane.port })),
  );
  return distinct([...endpointOfUrl(cluster.endpoint), ...own, ...others]).slice(0, maxEndpoints);
}

function endpointOfUrl(url: string): KubePrismEndpoint[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  // A URL without a port has that of HTTPS.
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === '' ? [] : [{ host, port: port === '' ? httpsPort : Number(port) }];
}

const httpsPort = 443;

/** Whether an endpoint is KubePrism itself, which would then call itself without an end. */
export function isSelf(listener: KubePrismEndpoint, { host, port }: KubePrismEndpoint): boolean {
  const loopback = ['localhost', '127.0.0.1', '::1'];
  const isSameHost = host === listener.host || (loopback.includes(host) && loopback.includes(listener.host));
  return port === listener.port && isSameHost;
}

function distinct(endpoints: readonly KubePrismEndpoint[]): KubePrismEndpoint[] {
  return [...new Map(endpoints.map((endpoint) => [endpointText(endpoint), endpoint])).values()];
}

/** `host:port`, as people write it. */
export function endpointText({ host, port }: KubePrismEndpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
