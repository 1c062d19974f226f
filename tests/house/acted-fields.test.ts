// Two steps for a field of the configuration that a node acts on, which nothing else notices when they are forgotten: a test that uses the
// field, and a line for users.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentKinds, fieldPaths, nodeKinds } from '@nodewright/machine-config';
import { fieldReference, noteOf } from '@nodewright/machine-config/reference';

const checkout = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(checkout, path), 'utf8');

interface ActedField {
  readonly kind: string;
  readonly path: string;
  /** Its last key. */
  readonly key: string;
}

const structures = new Set(['obj', 'list', 'map']);

/** The fields that some kind of node acts on, as the reference has it (configuration-reference.test.ts). */
const acted: readonly ActedField[] = documentKinds.flatMap((kind) => {
  const reference = fieldReference(kind);
  return fieldPaths(kind).flatMap(({ path, field }) => {
    const isInert = (noteOf(reference, path)?.on.length ?? 0) === nodeKinds.length;
    if (structures.has(field.type) || isInert) return [];
    if (reference.get(path)?.help.startsWith('Ignored')) return [];
    const key = path.split(/[.[\]*]+/).findLast((part) => part !== '') ?? path;
    return [{ kind, path, key }];
  });
});

/** The fields whose keys no text has, by kind. */
function missingIn(text: string): Record<string, string[]> {
  const words = new Set(text.match(/\w+/g));
  const missing = acted.filter(({ key }) => !words.has(key));
  return Object.fromEntries(
    [...Map.groupBy(missing, ({ kind }) => kind)].map(([kind, fields]) => [
      kind,
      fields.map(({ path }) => path),
    ]),
  );
}

/** Reads lines that begin with a kind and continue with its fields. */
function table(text: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const line of text.trim().split('\n')) {
    const [kind = '', ...paths] = line.split(' ');
    fields[kind] = [...(fields[kind] ?? []), ...paths];
  }
  return fields;
}

/** Fields from before this rule, which no test of machined or of a node names. The list only becomes shorter. */
const withoutTest = table(`
v1alpha1 machine.kubelet.registerWithFQDN
v1alpha1 machine.registries.config.*.auth.password
v1alpha1 machine.registries.config.*.auth.identityToken machine.features.diskQuotaSupport machine.features.nodeAddressSortAlgorithm
v1alpha1 machine.nodeAnnotations cluster.network.cni.flannel.kubeNetworkPoliciesEnabled cluster.aescbcEncryptionSecret
v1alpha1 cluster.allowSchedulingOnMasters cluster.allowSchedulingOnControlPlanes
RegistryAuthConfig password identityToken
KubeAPIServerConfig certExtraSANs
KubeFlannelCNIConfig backendPort backendMTU backendExtraConfig kubeNetworkPoliciesEnabled
KubeNetworkConfig nodeCIDRMaskSizeIPv6
KubeNodeConfig registerWithFQDN
ResolverConfig searchDomains.disableDefault
SysctlConfig params
SysfsConfig params
`);

/** Fields from before this rule. The list only becomes shorter. */
const withoutEntry = table(`
v1alpha1 persist machine.controlPlane.controllerManager.disabled machine.controlPlane.scheduler.disabled
v1alpha1 machine.kubelet.clusterDNS machine.kubelet.extraMounts[].options machine.kubelet.extraConfig
v1alpha1 machine.kubelet.credentialProviderConfig machine.kubelet.defaultRuntimeSeccompProfileEnabled
v1alpha1 machine.kubelet.registerWithFQDN machine.kubelet.nodeIP.validSubnets machine.kubelet.skipNodeRegistration
v1alpha1 machine.network.nameservers machine.network.searchDomains
v1alpha1 machine.network.disableSearchDomain machine.time.disabled
v1alpha1 machine.time.bootTimeout machine.registries.mirrors.*.overridePath machine.registries.mirrors.*.skipFallback
v1alpha1 machine.registries.config.*.auth.username machine.registries.config.*.auth.auth
v1alpha1 machine.registries.config.*.auth.identityToken machine.features.stableHostname machine.features.diskQuotaSupport
v1alpha1 machine.features.kubePrism.enabled machine.features.imageCache.localEnabled machine.features.nodeAddressSortAlgorithm
v1alpha1 machine.logging.destinations[].extraTags machine.nodeLabels machine.nodeAnnotations machine.nodeTaints
v1alpha1 cluster.controlPlane.localAPIServerPort cluster.clusterName cluster.network.cni.urls
v1alpha1 cluster.network.cni.flannel.kubeNetworkPoliciesEnabled cluster.network.dnsDomain cluster.network.podSubnets
v1alpha1 cluster.network.serviceSubnets cluster.aescbcEncryptionSecret cluster.secretboxEncryptionSecret
v1alpha1 cluster.apiServer.extraVolumes[].mountPath cluster.apiServer.extraVolumes[].readonly cluster.apiServer.env
v1alpha1 cluster.apiServer.auditPolicy cluster.apiServer.authorizationConfig[].webhook
v1alpha1 cluster.controllerManager.extraVolumes[].mountPath cluster.controllerManager.extraVolumes[].readonly
v1alpha1 cluster.controllerManager.env cluster.proxy.disabled cluster.scheduler.extraVolumes[].mountPath
v1alpha1 cluster.scheduler.extraVolumes[].readonly cluster.scheduler.env cluster.etcd.subnet cluster.etcd.advertisedSubnets
v1alpha1 cluster.etcd.listenSubnets cluster.coreDNS.disabled cluster.externalCloudProvider.enabled cluster.extraManifests
v1alpha1 cluster.extraManifestHeaders cluster.adminKubeconfig.certLifetime cluster.allowSchedulingOnMasters
v1alpha1 cluster.allowSchedulingOnControlPlanes
VolumeConfig provisioning.grow
RegistryMirrorConfig endpoints[].url endpoints[].overridePath skipFallback
RegistryAuthConfig username auth identityToken
ImageCacheConfig local.enabled
KubeAPIServerCAConfig acceptedCAs
KubeAPIServerConfig env apiPort certExtraSANs startupProbes
KubeAggregatorCAConfig acceptedCAs
KubeAuthorizerConfig webhook
KubeClusterConfig clusterName
KubeControllerManagerConfig enabled env
KubeCoreDNSConfig enabled
KubeExternalManifestConfig url
KubeFlannelCNIConfig backendType backendPort backendMTU backendExtraConfig kubeNetworkPoliciesEnabled
KubeNetworkConfig dnsDomain podSubnets serviceSubnets nodeCIDRMaskSizeIPv4 nodeCIDRMaskSizeIPv6
KubeNodeConfig skipNodeRegistration registerWithFQDN nodeIP.validSubnets
KubePrismConfig tlsServerName
KubeProxyConfig enabled
KubeSchedulerConfig enabled env
KubeServiceAccountConfig issuer.privateKey issuer.issuerURL accepted.publicKeys accepted.issuers accepted.audiences
KubeletConfig clusterDNS defaultRuntimeSeccompProfileEnabled
StaticHostConfig hostnames
ResolverConfig searchDomains.disableDefault
TimeSyncConfig enabled bootTimeout
KmsgLogConfig url
SysctlConfig params
SysfsConfig params
ExtensionServiceConfig configFiles[].mountPath
DiscoveryIdentityConfig clusterID
`);

test('a test of machined or of a node names each field that nodes act on', () => {
  const files = globSync(
    [
      'services/machined/src/**/*.test.ts',
      'services/machined/src/**/testing/*.ts',
      // Not those of comparisons, which say nothing of what a node does.
      'packages/node-files/src/{containers,kernel,kubelet,kubernetes,network}/**/*.test.ts',
      'tests/{boot,cluster,compose,conformance,containerd,contract/machined,kubernetes,node-image,registry,virtual-address}/**/*.ts',
    ],
    { cwd: checkout },
  );
  assert.ok(files.length > 300 && acted.length > 200, `${files.length} files, ${acted.length} fields`);
  assert.deepEqual(missingIn(files.map(read).join('\n')), withoutTest);
});

/** A kind of document, or the path of an object of the old section, all of whose fields an entry is about. */
function namedAsWhole(text: string): readonly string[] {
  const lists = text.matchAll(/\b[Ee]very field of ((?:`[^`]+`(?:,?\s+(?:and\s+)?)?)+)/g);
  return [...lists].flatMap(([, list = '']) => [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test('the changelog names each field that nodes act on, or what it belongs to', () => {
  const text = read('CHANGELOG.md');
  const whole = namedAsWhole(text);
  const isInside = (kind: string, path: string) =>
    whole.some(
      (name) => name === kind || path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
    );
  const missing = Object.entries(missingIn(text)).map(
    ([kind, paths]) => [kind, paths.filter((path) => !isInside(kind, path))] as const,
  );
  assert.deepEqual(Object.fromEntries(missing.filter(([, paths]) => paths.length > 0)), withoutEntry);
});
