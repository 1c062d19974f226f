import type { Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { DocumentReader } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';

/** Legacy settings that must not be set together with a document, because both configure the same. */
interface Conflict {
  readonly kind: string;
  /** Paths of sections that must not exist. */
  readonly sections?: readonly string[];
  /** Paths of values that must be empty. */
  readonly values?: readonly string[];
  /** Restricts the conflict to documents for which this returns `true`. */
  readonly when?: (document: DocumentReader) => boolean;
}

/** Source: Talos v1.14: machine configuration, all other documents ("conflict"). */
const conflicts: readonly Conflict[] = [
  ...(['state', 'ephemeral'] as const).map((partition) => ({
    kind: 'VolumeConfig',
    sections: [`machine.systemDiskEncryption.${partition}`],
    when: (document: DocumentReader) =>
      document.name === partition.toUpperCase() && Object.keys(document.map('encryption')).length > 0,
  })),
  { kind: 'DiscoveryServiceConfig', sections: ['cluster.discovery'] },
  { kind: 'DiscoveryIdentityConfig', values: ['cluster.id', 'cluster.secret'] },
  { kind: 'ImageCacheConfig', sections: ['machine.features.imageCache'] },
  { kind: 'CRIBaseRuntimeSpecConfig', values: ['machine.baseRuntimeSpecOverrides'] },
  { kind: 'UnattendedInstallConfig', sections: ['machine.install'] },
  { kind: 'KubeClusterConfig', values: ['cluster.clusterName', 'cluster.controlPlane.endpoint'] },
  { kind: 'KubeNetworkConfig', sections: ['cluster.network'] },
  {
    kind: 'KubeNodeConfig',
    sections: [
      'cluster.allowSchedulingOnMasters',
      'cluster.allowSchedulingOnControlPlanes',
      'machine.kubelet.skipNodeRegistration',
      'machine.kubelet.registerWithFQDN',
      'machine.kubelet.nodeIP',
    ],
    values: ['machine.nodeLabels', 'machine.nodeAnnotations', 'machine.nodeTaints'],
  },
  { kind: 'KubeletConfig', sections: ['machine.kubelet'] },
  { kind: 'KubeCredentialProviderConfig', sections: ['machine.kubelet'] },
  { kind: 'KubePrismConfig', sections: ['machine.features.kubePrism'] },
  { kind: 'KubeAPIServerCAConfig', sections: ['cluster.ca'] },
  {
    kind: 'KubeAPIServerConfig',
    sections: ['cluster.apiServer'],
    values: ['cluster.controlPlane.localAPIServerPort'],
  },
  {
    kind: 'KubeControllerManagerConfig',
    sections: ['cluster.controllerManager', 'machine.controlPlane.controllerManager'],
  },
  { kind: 'KubeSchedulerConfig', sections: ['cluster.scheduler', 'machine.controlPlane.scheduler'] },
  { kind: 'KubeProxyConfig', sections: ['cluster.proxy'] },
  { kind: 'KubeCoreDNSConfig', sections: ['cluster.coreDNS'] },
  { kind: 'KubeFlannelCNIConfig', sections: ['cluster.network'] },
  { kind: 'KubeAggregatorCAConfig', sections: ['cluster.aggregatorCA'] },
  { kind: 'KubeServiceAccountConfig', sections: ['cluster.serviceAccount'] },
  {
    kind: 'KubeEtcdEncryptionConfig',
    values: ['cluster.aescbcEncryptionSecret', 'cluster.secretboxEncryptionSecret'],
  },
  { kind: 'KubeAdmissionControlConfig', values: ['cluster.apiServer.admissionControl'] },
  { kind: 'KubeAuditPolicyConfig', values: ['cluster.apiServer.auditPolicy'] },
  { kind: 'KubeAuthorizerConfig', values: ['cluster.apiServer.admissionControl'] },
  { kind: 'KubeTalosAPIAccessConfig', sections: ['machine.features.kubernetesTalosAPIAccess'] },
  {
    kind: 'HostnameConfig',
    values: ['machine.network.hostname', 'machine.features.stableHostname'],
  },
  {
    kind: 'ResolverConfig',
    values: [
      'machine.network.nameservers',
      'machine.network.searchDomains',
      'machine.network.disableSearchDomain',
    ],
  },
  {
    kind: 'ResolverConfig',
    sections: ['machine.features.hostDNS'],
    when: (document) => document.has('hostDNS'),
  },
  {
    kind: 'TimeSyncConfig',
    values: ['machine.time.disabled', 'machine.time.servers', 'machine.time.bootTimeout'],
  },
  { kind: 'KubeSpanConfig', sections: ['machine.network.kubespan'] },
];

/** Returns an error for each legacy setting that conflicts with a document. */
export function conflictErrors(configuration: Configuration): string[] {
  const found = configuration.find(({ kind }) => kind === legacyKind);
  if (!found) return [];
  const legacy = new DocumentReader(found);
  const placeOf = (path: string) =>
    found.origin ? ` (${formatPosition(findNode(found.origin.root, path.split('.')))})` : '';
  const errors = configuration.flatMap((document) =>
    conflicts
      .filter(({ kind, when }) => kind === document.kind && (when?.(new DocumentReader(document)) ?? true))
      .flatMap(({ sections = [], values = [] }) => [
        ...sections.filter((path) => legacy.has(...path.split('.'))),
        ...values.filter((path) => !isEmpty(legacy.value(...path.split('.')))),
      ])
      .map((path) => `${labelOf(document)} conflicts with ${path} of v1alpha1.Config${placeOf(path)}`),
  );
  return [...new Set(errors)];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === false || value === '' || value === 0 || value === '0s') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
