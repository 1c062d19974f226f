import { volumeIds } from '@nodewright/contract/volumes';
import type { Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { ConfigReader, type DocumentReader, type ValuePath } from '../effective/config-reader.ts';
import { type ControlPlaneSettings, controlPlaneSettings } from '../effective/control-plane-settings.ts';
import { effectiveConfig } from '../effective/effective-config.ts';
import { kubeletSettings } from '../effective/kubelet-settings.ts';
import { kubernetesIdentity } from '../effective/kubernetes-identity.ts';
import { manifestSettings } from '../effective/manifest-settings.ts';
import type { RegistrySettings } from '../effective/registry-settings.ts';
import { auditPolicy } from '../generate/kubernetes-policies.ts';
import { legacyKind } from '../schema/document-schema.ts';
import type { YamlMap, YamlValue } from '../yaml/yaml-value.ts';
import { selectorOfPath } from './to-documents/machine-rules.ts';
import { startsWith, withoutValue } from './value-path.ts';

/** Sections whose values are in the view under a name of their own. Everything else is compared as it is written. */
const readSections = [
  ...['type', 'token', 'ca', 'acceptedCAs', 'certSANs', 'controlPlane', 'kubelet', 'pods', 'install', 'env'],
  ...['time', 'sysctls', 'sysfs', 'registries', 'systemDiskEncryption', 'udev', 'kernel', 'nodeLabels'],
  ...['nodeAnnotations', 'nodeTaints', 'baseRuntimeSpecOverrides', 'features.kubernetesTalosAPIAccess'],
  ...['features.kubePrism', 'features.hostDNS', 'features.imageCache', 'features.stableHostname'],
  ...['network.hostname', 'network.nameservers', 'network.searchDomains', 'network.disableSearchDomain'],
  ...['network.extraHostEntries', 'network.kubespan'],
].map((path) => ['machine', ...path.split('.')]);
const readClusterSections = [
  ...[
    'id',
    'secret',
    'controlPlane',
    'clusterName',
    'network',
    'token',
    'aescbcEncryptionSecret',
    'discovery',
  ],
  ...[
    'secretboxEncryptionSecret',
    'ca',
    'acceptedCAs',
    'aggregatorCA',
    'serviceAccount',
    'apiServer',
    'proxy',
  ],
  ...[
    'controllerManager',
    'scheduler',
    'coreDNS',
    'extraManifests',
    'extraManifestHeaders',
    'inlineManifests',
  ],
  ...['allowSchedulingOnMasters', 'allowSchedulingOnControlPlanes'],
].map((path) => ['cluster', path]);

/** Kinds whose values are in the view under a name of their own. */
const readKinds = new Set([
  ...[
    'HostnameConfig',
    'TimeSyncConfig',
    'StaticHostConfig',
    'KubeSpanConfig',
    'ResolverConfig',
    'RegistryMirrorConfig',
  ],
  ...[
    'RegistryTLSConfig',
    'RegistryAuthConfig',
    'ImageCacheConfig',
    'CRIBaseRuntimeSpecConfig',
    'SysctlConfig',
  ],
  ...['SysfsConfig', 'EnvironmentConfig', 'UdevRulesConfig', 'KernelModuleConfig', 'UnattendedInstallConfig'],
  ...[
    'DiscoveryServiceConfig',
    'DiscoveryIdentityConfig',
    'KubeStaticPodConfig',
    'KubeExternalManifestConfig',
  ],
  ...[
    'KubeInlineManifestConfig',
    'KubeAPIServerConfig',
    'KubeControllerManagerConfig',
    'KubeSchedulerConfig',
  ],
  ...[
    'KubeProxyConfig',
    'KubeCoreDNSConfig',
    'KubeFlannelCNIConfig',
    'KubeNetworkConfig',
    'KubeClusterConfig',
  ],
  ...[
    'KubeNodeConfig',
    'KubeletConfig',
    'KubeCredentialProviderConfig',
    'KubePrismConfig',
    'KubeAPIServerCAConfig',
  ],
  ...[
    'KubeAggregatorCAConfig',
    'KubeServiceAccountConfig',
    'KubeEtcdEncryptionConfig',
    'KubeAdmissionControlConfig',
  ],
  ...[
    'KubeAuditPolicyConfig',
    'KubeAuthenticationConfig',
    'KubeAuthorizerConfig',
    'KubeTalosAPIAccessConfig',
  ],
]);

type Registries = RegistrySettings['registries'];

/**
 * Credentials that set nothing, such as `auth: {}`, have no effect, and the conversion writes no document for them. TLS settings that set
 * nothing still have one: containerd gets a file for the registry, beside which it ignores the mirrors of `*`.
 */
function withoutEmptyCredentials({ auths, ...registries }: Registries): Registries {
  const set = Object.entries(auths).filter(([, auth]) => Object.values(auth).some((text) => text !== ''));
  return { ...registries, auths: Object.fromEntries(set) };
}

/**
 * What a node makes of a configuration, in one form for both ways to write it. Where the node of this project adds a default that
 * upstream's node adds in the old form only, the view is that of upstream: a document that would need the default and does not have it
 * is seen. Values that no setting reads are in it as they are written, so no key is left out. It contains secrets.
 *
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM
 *
 * Source: Talos v1.14: machine configuration, effective values.
 */
export function effectiveView(configuration: Configuration): YamlMap {
  const settings = effectiveSettings(configuration);
  const isControlPlane = Object.hasOwn(settings, 'controlPlane');
  return { ...settings, asWritten: asWritten(configuration, isControlPlane) };
}

/** The part of `effectiveView()` that a setting reads, without the values that are in it as they are written. */
export function effectiveSettings(configuration: Configuration): YamlMap {
  const reader = new ConfigReader(configuration);
  const { install, node, kubeSpan: _, ...settings } = effectiveConfig(configuration);
  const isControlPlane = ['init', 'controlplane'].includes(settings.machineType);
  const { auto, hostname } = settings.hostname;
  const view = {
    ...settings,
    hostname: { hostname, auto: hostname === '' ? (auto ?? 'off') : 'off' },
    registries: withoutEmptyCredentials(settings.registries),
    hostDNS: settings.hostDNS.enabled ? settings.hostDNS : { enabled: false },
    install: install && {
      ...install,
      ...{ isUnattended: undefined, disk: undefined },
      diskSelector: install.diskSelector || (install.disk === '' ? '' : selectorOfPath(install.disk)),
    },
    node: {
      ...node,
      taints: Object.fromEntries(node.taints.map(({ key, value, effect }) => [key, `${value}:${effect}`])),
    },
    kubePrism: settings.kubePrism.enabled ? settings.kubePrism : { enabled: false },
    kubeSpan: kubeSpan(reader),
    kubelet: kubeletSettings(reader),
    identity: identity(reader, settings.cluster.endpoint),
    talosAPIAccess: talosAPIAccess(reader),
    baseRuntimeSpec:
      reader.document('CRIBaseRuntimeSpecConfig')?.map('overrides') ??
      reader.legacy.map('machine', 'baseRuntimeSpecOverrides'),
    encryption: Object.fromEntries(volumesOfSection.map((name) => [name, volumeEncryption(reader, name)])),
    ...(isControlPlane ? { controlPlane: controlPlane(reader), manifests: manifests(reader) } : {}),
  };
  return view as unknown as YamlMap;
}

function controlPlane(reader: ConfigReader) {
  const settings = controlPlaneSettings(reader);
  const { hasDocument, extraArgs, ...apiServer } = settings.apiServer;
  const { 'anonymous-auth': anonymous, ...otherArgs } = extraArgs;
  // A node adds none in the old form, and the controller manager has the same default. It refuses its own flag beside those of a document.
  const hasOwnMask = Object.hasOwn(settings.controllerManager.extraArgs, 'node-cidr-mask-size');
  const nodeMasks = hasOwnMask
    ? settings.nodeMasks
    : { ipv4: settings.nodeMasks.ipv4 || 24, ipv6: settings.nodeMasks.ipv6 || 64 };
  return {
    ...settings,
    apiServer: { ...apiServer, extraArgs: otherArgs },
    authentication: authentication(settings, anonymous, reader),
    authorizers: authorizers(settings),
    auditPolicy:
      Object.keys(settings.auditPolicy).length > 0 || hasDocument ? settings.auditPolicy : auditPolicy,
    nodeMasks,
  };
}

function authentication(
  { apiServer }: ControlPlaneSettings,
  flag: readonly string[] | undefined,
  reader: ConfigReader,
) {
  const document = reader.document('KubeAuthenticationConfig');
  if (document !== undefined) return document.map('configuration');
  // Without the document, upstream's API server does not start beside KubeAPIServerConfig.
  if (apiServer.hasDocument) return 'missing';
  const text = flag?.join(',') ?? 'false';
  return { anonymous: { enabled: text === 'true' || text === 'false' ? text === 'true' : text } };
}

function authorizers({ authorizers: own, apiServer }: ControlPlaneSettings) {
  if (apiServer.hasDocument) return own;
  const builtIn = [
    ['Node', 'node'],
    ['RBAC', 'rbac'],
  ].map(([type, name]) => ({
    type,
    name: own.find((each) => each.type === type)?.name ?? name,
    webhook: {},
  }));
  return [...builtIn, ...own.filter(({ type }) => type === 'Webhook')];
}

function manifests(reader: ConfigReader) {
  const { external, proxy, ...settings } = manifestSettings(reader);
  return {
    ...settings,
    // The document gives kube-proxy a configuration file, beside which it ignores its flags.
    proxy: proxy.config === undefined ? proxy : { ...proxy, extraArgs: {} },
    cniName: settings.cniName === 'flannel' ? 'flannel' : 'none',
    external: external.map(({ url, headers, isCloudProvider }) => ({ url, headers, isCloudProvider })),
    names: external.map(({ name }) => name),
  };
}

function identity(reader: ConfigReader, endpoint: string) {
  const { encryption, serviceAccount, ...rest } = kubernetesIdentity(reader);
  const keyed = (provider: string, name: string, secret: string) =>
    secret === '' ? [] : [{ [provider]: { keys: [{ name, secret }] } }];
  const keys = [
    ...keyed('secretbox', 'key2', encryption.secretboxSecret),
    ...keyed('aescbc', 'key1', encryption.aesCbcSecret),
  ];
  const ofSecrets =
    keys.length === 0
      ? {}
      : { resources: [{ resources: ['secrets'], providers: [...keys, { identity: {} }] }] };
  return {
    ...rest,
    serviceAccount: {
      ...serviceAccount,
      issuer: serviceAccount.issuer || endpoint,
      audiences: serviceAccount.audiences.length > 0 ? serviceAccount.audiences : [endpoint],
    },
    encryption: reader.document('KubeEtcdEncryptionConfig')?.map('config') ?? ofSecrets,
  };
}

function kubeSpan(reader: ConfigReader) {
  const own: DocumentReader =
    reader.document('KubeSpanConfig') ?? reader.legacy.below('machine', 'network', 'kubespan');
  const flags = ['enabled', 'advertiseKubernetesNetworks', 'allowDownPeerBypass', 'harvestExtraEndpoints'];
  return {
    ...Object.fromEntries(flags.map((key) => [key, own.boolean(key) ?? false])),
    mtu: own.integer('mtu') || 1420,
    endpoints: own.texts('filters', 'endpoints'),
    excludeAdvertisedNetworks: own.texts('filters', 'excludeAdvertisedNetworks'),
  };
}

function talosAPIAccess(reader: ConfigReader) {
  const document = reader.document('KubeTalosAPIAccessConfig');
  const at = reader.legacy.below('machine', 'features', 'kubernetesTalosAPIAccess');
  if (document === undefined && at.boolean('enabled') !== true) return undefined;
  const own = document ?? at;
  return { roles: own.texts('allowedRoles'), namespaces: own.texts('allowedKubernetesNamespaces') };
}

/** Volumes whose encryption may also be in `machine.systemDiskEncryption`. */
const volumesOfSection: readonly string[] = [volumeIds.state, volumeIds.ephemeral];

function volumeEncryption(reader: ConfigReader, name: string): YamlMap {
  const own = reader.documents('VolumeConfig').find((document) => document.name === name);
  const encryption = own?.map('encryption') ?? {};
  if (Object.keys(encryption).length > 0) return encryption;
  return reader.legacy.map('machine', 'systemDiskEncryption', name.toLowerCase());
}

/** Kinds of which a document with only a name sets nothing. Of others the name is enough to make a link, a lease or a route. */
const emptyKinds = new Set(['VolumeConfig', 'EthernetConfig']);

/** Keys that nodes ignore. */
const ignored = [['version'], ['persist']];

/**
 * The parts of a document, at a path or below it, that the view has only as far as settings read them, and never as they are written.
 */
export function hiddenPaths(kind: string, path: ValuePath): readonly ValuePath[] {
  if (kind !== legacyKind) return readKinds.has(kind) ? [path] : [];
  const sections = [...readSections, ...readClusterSections];
  if (sections.some((section) => startsWith(path, section))) return [path];
  return sections.filter((section) => startsWith(section, path));
}

function asWritten(configuration: Configuration, isControlPlane: boolean): YamlMap {
  const rest: [string, YamlValue][] = [];
  for (const document of configuration) {
    if (document.kind === legacyKind) {
      let { value } = document;
      // On a worker no setting shows the components, but their sections have no counterpart there, and stay.
      const components = isControlPlane
        ? []
        : ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'coreDNS'];
      const read = [...readSections, ...readClusterSections].filter(
        ([, name]) => !components.includes(name ?? ''),
      );
      for (const path of [...read, ...ignored]) value = withoutValue(value, path);
      rest.push(['v1alpha1', withoutEmpty(value)]);
    } else if (!readKinds.has(document.kind)) {
      const { value } = document;
      const isOfSection = document.kind === 'VolumeConfig' && volumesOfSection.includes(String(value.name));
      const own = isOfSection ? withoutValue(value, ['encryption']) : value;
      const setsNothing = emptyKinds.has(document.kind) && Object.keys(own).every((key) => key === 'name');
      if (!setsNothing) rest.push([labelOf(document), own]);
    }
  }
  return Object.fromEntries(rest);
}

/** A section that is empty says the same as one that is missing. */
function withoutEmpty(value: YamlMap): YamlMap {
  const entries = Object.entries(value).map(
    ([key, child]) =>
      [
        key,
        typeof child === 'object' && child !== null && !Array.isArray(child)
          ? withoutEmpty(child as YamlMap)
          : child,
      ] as const,
  );
  return Object.fromEntries(
    entries.filter(
      ([, child]) => !(typeof child === 'object' && child !== null && Object.keys(child).length === 0),
    ),
  );
}
