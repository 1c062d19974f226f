// Which parts of a configuration a local cluster of processes replaces, in both forms. Source: Talos v1.14: machine configuration, v1alpha1
// document and Kubernetes documents.
import { kubernetesImages } from '../generate/generate-options.ts';
import { legacyPair } from '../generate/legacy-parts.ts';
import { base64FromPem } from '../secrets/encode-secrets.ts';
import type { SecretsBundle } from '../secrets/secrets-bundle.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';
import type { LocalNode, LocalRule } from './local-configuration.ts';
import { isAddress, isOwnPlugin, type LocalReason, ownFlags, ownKeys } from './local-values.ts';

type Fate = LocalReason | 'kept';

/** The keys of `machine` that a node of processes gets; a reason says why it does not get one. Others are of a machine. */
export const keptOfMachine: Readonly<Record<string, Fate>> = {
  ...{ type: 'kept', token: 'kept', ca: 'kept', certSANs: 'kept', controlPlane: 'kept', kubelet: 'kept' },
  ...{ features: 'kept', nodeLabels: 'kept', nodeAnnotations: 'kept', nodeTaints: 'kept' },
  ...{ acceptedCAs: 'secrets', network: 'links', time: 'addresses', pods: 'kubelet', env: 'hosts' },
  ...{ logging: 'hosts', install: 'disks', disks: 'disks', systemDiskEncryption: 'disks' },
  ...{ registries: 'containers', seccompProfiles: 'containers', baseRuntimeSpecOverrides: 'containers' },
};

/** The same for `cluster`. */
export const keptOfCluster: Readonly<Record<string, Fate>> = {
  ...{
    id: 'kept',
    secret: 'kept',
    controlPlane: 'kept',
    clusterName: 'kept',
    network: 'kept',
    token: 'kept',
  },
  ...{ aescbcEncryptionSecret: 'kept', secretboxEncryptionSecret: 'kept', ca: 'kept', aggregatorCA: 'kept' },
  ...{
    serviceAccount: 'kept',
    apiServer: 'kept',
    controllerManager: 'kept',
    proxy: 'kept',
    scheduler: 'kept',
  },
  ...{
    discovery: 'kept',
    etcd: 'kept',
    coreDNS: 'kept',
    externalCloudProvider: 'kept',
    adminKubeconfig: 'kept',
  },
  ...{ allowSchedulingOnMasters: 'kept', allowSchedulingOnControlPlanes: 'kept', acceptedCAs: 'secrets' },
  ...{ extraManifests: 'hosts', extraManifestHeaders: 'hosts', inlineManifests: 'kubelet' },
};

const rule = (path: string, reason: LocalReason, change: LocalRule['change']): LocalRule => ({
  at: path === '' ? [] : path.split('.'),
  reason,
  change,
});
const leftOut = (path: string, reason: LocalReason) => rule(path, reason, () => undefined);
const secret = (path: string, of: (secrets: SecretsBundle) => YamlValue) =>
  rule(path, 'secrets', (_value, { secrets }) => of(secrets));
const image = (path: string, name: keyof ReturnType<typeof kubernetesImages>) =>
  rule(path, 'images', (old, { kubernetesVersion }) => {
    const own = kubernetesImages({ kubernetesVersion })[name];
    return own === old ? old : own;
  });
const endpoint = (path: string) => rule(path, 'addresses', (_value, local) => local.endpoint);
const derived = (path: string) =>
  rule(path, 'secrets', (old, { deriveKey }) => (typeof old === 'string' ? deriveKey(old) : old));
/** For values that are maps: what of the map stays. */
const filtered = (path: string, own: (map: YamlMap) => YamlMap) =>
  rule(path, 'hosts', (value) => (isYamlMap(value) ? own(value) : value));
/** Names of servers stay, because they name no host that is called. */
const names = (path: string) =>
  rule(path, 'addresses', (value) => chosen(value, (item) => !isAddress(String(item))));

function chosen(value: YamlValue, isChosen: (item: YamlValue) => boolean): YamlValue {
  if (!isYamlList(value)) return value;
  const left = value.filter(isChosen);
  return left.length === value.length ? value : left;
}

const flagsOf = (section: string) =>
  ['extraArgs', 'env'].map((key) => filtered(section === '' ? key : `${section}.${key}`, ownFlags));
const isBuiltIn = (authorizer: YamlValue) => !isYamlMap(authorizer) || authorizer.type !== 'Webhook';

/** IPv6 first would need API servers with an IPv6 address. */
function isFirstV6(subnets: YamlValue | undefined): boolean {
  return isYamlList(subnets) && String(subnets[0]).includes(':');
}
const subnets = (path: string) =>
  rule(path, 'addresses', (network) =>
    isYamlMap(network) && (isFirstV6(network.serviceSubnets) || isFirstV6(network.podSubnets))
      ? { ...network, podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] }
      : network,
  );

/** Rules for what is left of the v1alpha1 document. */
export const sectionRules: readonly LocalRule[] = [
  secret('machine.token', ({ trustd }) => trustd.token),
  secret('machine.ca', ({ certs }) => legacyPair(certs.os, true)),
  names('machine.certSANs'),
  image('machine.kubelet.image', 'kubelet'),
  leftOut('machine.kubelet.nodeIP', 'addresses'),
  leftOut('machine.kubelet.clusterDNS', 'addresses'),
  leftOut('machine.kubelet.extraMounts', 'kubelet'),
  leftOut('machine.kubelet.credentialProviderConfig', 'kubelet'),
  ...flagsOf('machine.kubelet'),
  leftOut('machine.features.stableHostname', 'addresses'),
  leftOut('machine.features.imageCache', 'containers'),
  secret('cluster.id', ({ cluster }) => cluster.id),
  secret('cluster.secret', ({ cluster }) => cluster.secret),
  endpoint('cluster.controlPlane.endpoint'),
  leftOut('cluster.controlPlane.localAPIServerPort', 'addresses'),
  subnets('cluster.network'),
  rule('cluster.network.cni', 'hosts', (cni) => (isYamlMap(cni) && cni.urls ? { name: 'none' } : cni)),
  secret('cluster.token', ({ secrets }) => secrets.bootstrapToken),
  derived('cluster.aescbcEncryptionSecret'),
  derived('cluster.secretboxEncryptionSecret'),
  secret('cluster.ca', ({ certs }) => legacyPair(certs.kubernetes, true)),
  secret('cluster.aggregatorCA', ({ certs }) => legacyPair(certs.kubernetesAggregator, true)),
  secret('cluster.serviceAccount', ({ certs }) => ({
    key: base64FromPem(certs.kubernetesServiceAccount.key),
  })),
  image('cluster.apiServer.image', 'apiServer'),
  ...flagsOf('cluster.apiServer'),
  leftOut('cluster.apiServer.extraVolumes', 'hosts'),
  names('cluster.apiServer.certSANs'),
  rule('cluster.apiServer.admissionControl', 'hosts', (value) => chosen(value, isOwnPlugin)),
  rule('cluster.apiServer.authorizationConfig', 'hosts', (value) => chosen(value, isBuiltIn)),
  image('cluster.controllerManager.image', 'controllerManager'),
  ...flagsOf('cluster.controllerManager'),
  leftOut('cluster.controllerManager.extraVolumes', 'hosts'),
  image('cluster.proxy.image', 'proxy'),
  ...flagsOf('cluster.proxy'),
  image('cluster.scheduler.image', 'scheduler'),
  ...flagsOf('cluster.scheduler'),
  leftOut('cluster.scheduler.extraVolumes', 'hosts'),
  filtered('cluster.scheduler.config', ownKeys),
  rule('cluster.discovery', 'hosts', () => ({ enabled: false })),
  leftOut('cluster.etcd.image', 'images'),
  secret('cluster.etcd.ca', ({ certs }) => legacyPair(certs.etcd, true)),
  ...flagsOf('cluster.etcd'),
  leftOut('cluster.etcd.subnet', 'addresses'),
  leftOut('cluster.etcd.advertisedSubnets', 'addresses'),
  leftOut('cluster.etcd.listenSubnets', 'addresses'),
  leftOut('cluster.coreDNS.image', 'images'),
  leftOut('cluster.externalCloudProvider.manifests', 'hosts'),
];

const authority = (of: (secrets: SecretsBundle) => SecretsBundle['certs']['kubernetes']) => [
  secret('', (secrets) => ({ issuingCA: { cert: of(secrets).certificate, key: of(secrets).key } })),
];

/** The keys of a free-form object that are secrets, and providers that would call another program. */
function ownEncryption(value: YamlValue, local: LocalNode): YamlValue {
  if (isYamlList(value))
    return value
      .filter((item) => !(isYamlMap(item) && item.kms !== undefined))
      .map((item) => ownEncryption(item, local));
  if (!isYamlMap(value)) return value;
  return mapFromEntries(
    entriesOf(value).map(([key, child]) => [
      key,
      key === 'secret' && typeof child === 'string' ? local.deriveKey(child) : ownEncryption(child, local),
    ]),
  );
}

/** Rules for each kind of document: `kept` as it is, or left out for a reason. Kinds that are not here are of a machine. */
export const documentRules: Readonly<Record<string, readonly LocalRule[] | Fate>> = {
  KubeAPIServerCAConfig: authority(({ certs }) => certs.kubernetes),
  KubeAPIServerConfig: [
    image('image', 'apiServer'),
    ...flagsOf(''),
    leftOut('apiPort', 'addresses'),
    names('certExtraSANs'),
  ],
  KubeAdmissionControlConfig: [rule('', 'hosts', (value) => (isOwnPlugin(value) ? value : undefined))],
  KubeAggregatorCAConfig: authority(({ certs }) => certs.kubernetesAggregator),
  KubeAuditPolicyConfig: 'kept',
  KubeAuthenticationConfig: [
    rule('configuration.jwt', 'hosts', (jwt) => (isYamlList(jwt) && jwt.length > 0 ? [] : jwt)),
  ],
  KubeAuthorizerConfig: [rule('', 'hosts', (value) => (isBuiltIn(value) ? value : undefined))],
  KubeClusterConfig: [endpoint('endpoint')],
  KubeControllerManagerConfig: [image('image', 'controllerManager'), ...flagsOf('')],
  KubeCoreDNSConfig: [leftOut('image', 'images')],
  KubeCredentialProviderConfig: 'kubelet',
  KubeEtcdEncryptionConfig: [rule('config', 'secrets', ownEncryption)],
  KubeExternalManifestConfig: 'hosts',
  KubeFlannelCNIConfig: 'kept',
  KubeInlineManifestConfig: 'kubelet',
  KubeNetworkConfig: [subnets('')],
  KubeNodeConfig: [rule('nodeIP', 'addresses', () => ({}))],
  KubePrismConfig: [leftOut('tlsServerName', 'addresses')],
  KubeProxyConfig: [image('image', 'proxy'), ...flagsOf(''), filtered('config', ownKeys)],
  KubeSchedulerConfig: [image('image', 'scheduler'), ...flagsOf(''), filtered('config', ownKeys)],
  KubeServiceAccountConfig: [
    rule('', 'secrets', (_value, { secrets: { certs }, endpoint: issuerURL }) => ({
      issuer: { privateKey: certs.kubernetesServiceAccount.key, issuerURL },
    })),
  ],
  KubeStaticPodConfig: 'kubelet',
  KubeTalosAPIAccessConfig: 'kept',
  KubeletConfig: [image('image', 'kubelet'), ...flagsOf(''), leftOut('clusterDNS', 'addresses')],
  DiscoveryIdentityConfig: [
    secret('', ({ cluster }) => ({ clusterID: cluster.id, clusterSecret: cluster.secret })),
  ],
  DiscoveryServiceConfig: 'hosts',
  ResolverConfig: [
    rule('', 'addresses', (value) =>
      isYamlMap(value) && Object.keys(value).some((key) => key !== 'hostDNS')
        ? value.hostDNS === undefined
          ? undefined
          : { hostDNS: value.hostDNS }
        : value,
    ),
  ],
  SecurityProfileConfig: 'kept',
  ...Object.fromEntries(
    (
      [
        [
          'links',
          'BGPInstanceConfig BlackholeRouteConfig BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig EthernetConfig HCloudVIPConfig HTTPProbeConfig KubeSpanConfig KubeSpanEndpointsConfig Layer2VIPConfig LinkAliasConfig LinkConfig NetworkDefaultActionConfig NetworkRuleConfig RoutingRuleConfig StaticHostConfig TCPProbeConfig VLANConfig VRFConfig VethConfig WireguardConfig',
        ],
        [
          'disks',
          'ExistingVolumeConfig ExternalVolumeConfig FilesystemScrubConfig FilesystemTrimConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig RawVolumeConfig SwapVolumeConfig UnattendedInstallConfig UserVolumeConfig VolumeConfig ZswapConfig',
        ],
        [
          'containers',
          'CRIBaseRuntimeSpecConfig CRICustomizationConfig ContainerConfig ExtensionServiceConfig ImageCacheConfig ImageVerificationConfig RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig',
        ],
        ['hosts', 'EnvironmentConfig EventSinkConfig KmsgLogConfig SideroLinkConfig TrustedRootsConfig'],
      ] as const
    ).flatMap(([reason, kinds]) => kinds.split(' ').map((kind) => [kind, reason] as const)),
  ),
};
