import type { EffectiveConfig } from '@nodewright/machine-config';
import type { DiscoveryConfigSpec, InfoSpec } from '@nodewright/state/kinds';

/** How nodes of the cluster find each other. It holds a key. Source: Talos v1.14: COSI resources, DiscoveryConfigs. */
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

/** Which cluster this is; undefined where a configuration does not say. */
export function clusterInfo({ cluster }: Pick<EffectiveConfig, 'cluster'>): InfoSpec | undefined {
  if (cluster.id === '' && cluster.name === '') return undefined;
  return { clusterId: cluster.id, clusterName: cluster.name };
}

/** `https` alone is encrypted. */
function endpointOf(url: string): { readonly endpoint: string; readonly insecure: boolean } {
  const match = /^(\w+):\/\/([^/?#]*)/.exec(url);
  const [scheme, host = ''] = [match?.[1], match?.[2]];
  const insecure = scheme !== 'https';
  return { endpoint: /:\d+$/.test(host) ? host : `${host}:${insecure ? 80 : 443}`, insecure };
}
