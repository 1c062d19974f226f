import { volumeIds } from '@nodewright/contract/volumes';
import type { ConfigDocument } from '../config-document.ts';
import { contractHas, currentContract } from '../version-contract.ts';
import { defaultInstallDisk, type GenerateInput } from './generate-options.ts';

/** Default discovery service of a cluster. Source: Talos v1.14: discovery service. */
export const discoveryEndpoint = 'https://discovery.talos.dev/';

/**
 * Returns the documents that do not configure Kubernetes, in order.
 *
 * Source: Talos v1.14: gen config, documents 2 to 12.
 */
export function nodeDocuments(input: GenerateInput): ConfigDocument[] {
  const { secrets, options = {}, contract = currentContract } = input;
  const discovery: ConfigDocument[] =
    options.clusterDiscovery === false
      ? []
      : [{ kind: 'DiscoveryServiceConfig', value: { name: 'default', endpoint: discoveryEndpoint } }];
  const separate: ConfigDocument[] = [
    ...discovery,
    {
      kind: 'DiscoveryIdentityConfig',
      value: { clusterID: secrets.cluster.id, clusterSecret: secrets.cluster.secret },
    },
    ...installDocuments(input),
    { kind: 'ResolverConfig', value: { hostDNS: { enabled: true, forwardKubeDNSToHost: true } } },
    ...(options.sysctls ? [{ kind: 'SysctlConfig', value: { params: options.sysctls } }] : []),
    { kind: 'VolumeConfig', value: { name: volumeIds.ephemeral, mount: { secure: true } } },
    { kind: 'FilesystemTrimConfig', value: { interval: '168h0m0s' } },
    { kind: 'SecurityProfileConfig', value: { workloadIsolation: true } },
  ];
  const hasKubeSpan = options.kubeSpan === true && contractHas(contract, 'kubeSpanDocument');
  return [
    ...(contractHas(contract, 'kubernetesDocuments') ? separate : []),
    ...mirrorDocuments(input),
    { kind: 'HostnameConfig', value: { auto: 'stable' } },
    ...(hasKubeSpan ? [{ kind: 'KubeSpanConfig', value: { enabled: true } }] : []),
  ];
}

function installDocuments({ options = {} }: GenerateInput): ConfigDocument[] {
  const disk = options.installDisk ?? defaultInstallDisk;
  if (disk === '') return [];
  const installer = { image: options.installImage };
  const match = `disk.dev_path == ${JSON.stringify(disk)}`;
  return [
    {
      kind: 'UnattendedInstallConfig',
      value: { installer, provisioning: { diskSelector: { match }, wipe: false } },
    },
  ];
}

function mirrorDocuments({ options = {} }: GenerateInput): ConfigDocument[] {
  return Object.entries(options.registryMirrors ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, urls]) => ({
      kind: 'RegistryMirrorConfig',
      value: { name, endpoints: urls.map((url) => ({ url })) },
    }));
}
