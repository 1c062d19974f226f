import type { EffectiveConfig } from '@nodewright/machine-config';
import type { DiscoveryConfigSpec, InfoSpec } from '@nodewright/state/kinds';

/**
 * How nodes of the cluster discover each other. Contains a secret key. Source: Talos v1.14: COSI resources,
 * DiscoveryConfigs.
 */
export function discoveryConfig({
  cluster,
  discovery,
}: Pick<EffectiveConfig, 'cluster' | 'discovery'>): DiscoveryConfigSpec {
  const serviceEndpoints = discovery.services.map(({ name, endpoint }) => ({
    name,
    ...endpointOf(endpoint),
  }));
  const [first] = serviceEndpoints;
  return {
    discoveryEnabled: discovery.enabled,
    registryKubernetesEnabled: discovery.kubernetesEnabled,
    registryServiceEnabled: discovery.serviceEnabled,
    serviceEndpoint: first?.endpoint ?? '',
    serviceEndpointInsecure: first?.insecure ?? false,
    serviceEncryptionKey: Uint8Array.from(Buffer.from(cluster.secret, 'base64')),
    serviceClusterID: cluster.id,
    serviceEndpoints,
  };
}

/** The id and name of the cluster; `undefined` when the configuration sets neither. */
export function clusterInfo({ cluster }: Pick<EffectiveConfig, 'cluster'>): InfoSpec | undefined {
  if (cluster.id === '' && cluster.name === '') return undefined;
  return { clusterId: cluster.id, clusterName: cluster.name };
}

/** Only `https` is encrypted. */
function endpointOf(url: string): { readonly endpoint: string; readonly insecure: boolean } {
  const match = /^(\w+):\/\/([^/?#]*)/.exec(url);
  const [scheme, host = ''] = [match?.[1], match?.[2]];
  const insecure = scheme !== 'https';
  return { endpoint: /:\d+$/.test(host) ? host : `${host}:${insecure ? 80 : 443}`, insecure };
}
