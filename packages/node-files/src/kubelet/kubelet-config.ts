import type { EffectiveConfig, KubeletSettings } from '@nodewright/machine-config';
import type { KubeletConfigSpec } from '@nodewright/state/kinds';
import { jsonFromYaml } from '../kubernetes/json-from-yaml.ts';
import { addressAt } from '../kubernetes/service-addresses.ts';

/** The cluster DNS has the tenth address of each subnet of services. Source: Talos v1.14: constants. */
const dnsPlace = 10n;

/**
 * The resource of the kubelet's settings. Source: Talos v1.14: COSI resources, KubeletConfigs.
 *
 * @param staticPodUrl where the node serves its static pods
 */
export function kubeletConfigFrom(
  settings: KubeletSettings,
  { cluster, node }: Pick<EffectiveConfig, 'cluster' | 'node'>,
  staticPodUrl: string,
): KubeletConfigSpec {
  return {
    image: settings.image,
    clusterDNS:
      settings.clusterDNS.length > 0
        ? settings.clusterDNS
        : cluster.serviceSubnets.map((subnet) => addressAt(subnet, dnsPlace)),
    clusterDomain: cluster.dnsDomain,
    extraArgs: Object.fromEntries(
      Object.entries(settings.extraArgs).map(([name, values]) => [name, { values }]),
    ),
    extraMounts: settings.extraMounts.map((mount) => ({ ...mount, uidmappings: [], gidmappings: [] })),
    extraConfig: jsonFromYaml(settings.config),
    cloudProviderExternal: settings.usesExternalCloudProvider,
    defaultRuntimeSeccompEnabled: settings.hasDefaultSeccompProfile,
    skipNodeRegistration: node.skipRegistration,
    staticPodListURL: staticPodUrl,
    // Since Talos 1.14 static pods come from the configuration alone, whatever it says here.
    disableManifestsDirectory: true,
    enableFSQuotaMonitoring: false,
    credentialProviderConfig: jsonFromYaml(settings.credentialProviders),
    registerWithTaints: Object.fromEntries(
      node.taints.map(({ key, value, effect }) => [key, value === '' ? effect : `${value}:${effect}`]),
    ),
  };
}
