import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from '../effective/effective-config.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { generateConfig } from './generate-config.ts';
import type { GenerateOptions } from './generate-options.ts';
import { documentsOf, minors, oldSecrets, sampleInput, secrets, types } from './sample-input.ts';

/** `kind: keys` of each document, in order. */
function outline(text: string): string[] {
  return documentsOf(text).map(
    ({ apiVersion: _, kind, ...rest }) => `${kind ?? 'v1alpha1'}: ${Object.keys(rest).join(' ')}`,
  );
}

const ofEveryNode = [
  'v1alpha1: version debug persist machine cluster',
  'DiscoveryServiceConfig: name endpoint',
  'DiscoveryIdentityConfig: clusterID clusterSecret',
  'UnattendedInstallConfig: installer provisioning',
  'ResolverConfig: hostDNS',
  'VolumeConfig: name mount',
  'FilesystemTrimConfig: interval',
  'SecurityProfileConfig: workloadIsolation',
  'HostnameConfig: auto',
  'KubeClusterConfig: clusterName endpoint',
];

test('generateConfig() writes the documents and keys of a control plane in order', () => {
  assert.deepEqual(outline(generateConfig(sampleInput('controlplane'))), [
    ...ofEveryNode,
    'KubeNodeConfig: nodeIP labels taints',
    'KubeletConfig: image config defaultRuntimeSeccompProfileEnabled',
    'KubeNetworkConfig: dnsDomain podSubnets serviceSubnets',
    'KubeAPIServerCAConfig: issuingCA',
    'KubePrismConfig: port',
    'KubeAggregatorCAConfig: issuingCA',
    'KubeAdmissionControlConfig: name configuration',
    'KubeAuditPolicyConfig: configuration',
    'KubeAuthenticationConfig: configuration',
    'KubeAuthorizerConfig: name type',
    'KubeAuthorizerConfig: name type',
    'KubeEtcdEncryptionConfig: config',
    'KubeServiceAccountConfig: issuer',
    'KubeAPIServerConfig: image',
    'KubeControllerManagerConfig: image',
    'KubeSchedulerConfig: image config',
    'KubeProxyConfig: image config',
    'KubeFlannelCNIConfig: backendType backendPort',
    'KubeCoreDNSConfig: enabled',
  ]);
});

test('generateConfig() writes the documents and keys of a worker in order', () => {
  assert.deepEqual(outline(generateConfig(sampleInput('worker'))), [
    ...ofEveryNode,
    'KubeNodeConfig: nodeIP',
    'KubeletConfig: image config defaultRuntimeSeccompProfileEnabled',
    'KubeNetworkConfig: dnsDomain podSubnets serviceSubnets',
    'KubeAPIServerCAConfig: acceptedCAs',
    'KubePrismConfig: port',
  ]);
});

test('generateConfig() inserts optional documents at fixed positions', () => {
  const options: GenerateOptions = {
    sysctls: { 'net.core.somaxconn': '65535' },
    registryMirrors: { 'registry.k8s.io': ['http://b'], 'docker.io': ['http://a', 'http://c'] },
    kubeSpan: true,
    clusterDiscovery: false,
    installDisk: '',
    customCNI: ['https://example.org/cni.yaml'],
  };
  const text = generateConfig(sampleInput('controlplane', options));
  assert.deepEqual(
    outline(text).map((line) => line.split(':')[0]),
    [
      'v1alpha1',
      'DiscoveryIdentityConfig',
      'ResolverConfig',
      'SysctlConfig',
      'VolumeConfig',
      'FilesystemTrimConfig',
      'SecurityProfileConfig',
      'RegistryMirrorConfig',
      'RegistryMirrorConfig',
      'HostnameConfig',
      'KubeSpanConfig',
      'KubeClusterConfig',
      'KubeNodeConfig',
      'KubeletConfig',
      'KubeNetworkConfig',
      'KubeAPIServerCAConfig',
      'KubePrismConfig',
      'KubeAggregatorCAConfig',
      'KubeAdmissionControlConfig',
      'KubeAuditPolicyConfig',
      'KubeAuthenticationConfig',
      'KubeAuthorizerConfig',
      'KubeAuthorizerConfig',
      'KubeEtcdEncryptionConfig',
      'KubeServiceAccountConfig',
      'KubeAPIServerConfig',
      'KubeControllerManagerConfig',
      'KubeSchedulerConfig',
      'KubeProxyConfig',
      'KubeCoreDNSConfig',
      'KubeExternalManifestConfig',
    ],
  );
  const mirrors = documentsOf(text).filter(({ kind }) => kind === 'RegistryMirrorConfig');
  assert.deepEqual(mirrors, [
    {
      apiVersion: 'v1alpha1',
      kind: 'RegistryMirrorConfig',
      name: 'docker.io',
      endpoints: [{ url: 'http://a' }, { url: 'http://c' }],
    },
    {
      apiVersion: 'v1alpha1',
      kind: 'RegistryMirrorConfig',
      name: 'registry.k8s.io',
      endpoints: [{ url: 'http://b' }],
    },
  ]);
});

test('generateConfig() does not write private keys into worker configurations', () => {
  for (const minor of minors) {
    const text = generateConfig(sampleInput('worker', {}, minor));
    const { certs } = secrets;
    for (const { key } of [
      certs.os,
      certs.etcd,
      certs.kubernetes,
      certs.kubernetesAggregator,
      certs.kubernetesServiceAccount,
    ]) {
      assert.equal(
        text.includes(Buffer.from(key).toString('base64')) || text.includes(key.split('\n')[1] ?? ''),
        false,
      );
    }
    assert.equal((documentsOf(text)[0] as { machine: { ca: { key: string } } }).machine.ca.key, '');
  }
});

test('generateConfig() omits Kubernetes and etcd with skipKubernetesAndEtcd', () => {
  const parts = (minor: number) =>
    documentsOf(generateConfig(sampleInput('controlplane', { skipKubernetesAndEtcd: true }, minor))).flatMap(
      (document) =>
        document.kind === undefined
          ? Object.keys(document.cluster as object).map((key) => `cluster.${key}`)
          : [document.kind],
    );
  assert.deepEqual(parts(15), [
    'DiscoveryServiceConfig',
    'DiscoveryIdentityConfig',
    'UnattendedInstallConfig',
    'ResolverConfig',
    'VolumeConfig',
    'FilesystemTrimConfig',
    'SecurityProfileConfig',
    'HostnameConfig',
  ]);
  assert.deepEqual(parts(13), ['cluster.id', 'cluster.secret', 'cluster.discovery', 'HostnameConfig']);
});

test('generateConfig() with withoutKubernetes keeps cluster name, endpoint and etcd, and is valid', () => {
  for (const type of types) {
    const text = generateConfig(sampleInput(type, { withoutKubernetes: true }));
    const [legacy, ...rest] = documentsOf(text);
    assert.deepEqual(
      rest.map(({ kind }) => kind).filter((kind) => /^Kube/.test(String(kind))),
      ['KubeClusterConfig'],
    );
    const { cluster } = legacy as { cluster?: object };
    assert.deepEqual(Object.keys(cluster ?? {}), type === 'controlplane' ? ['etcd'] : []);
    const { errors } = validateConfiguration(loadConfiguration(text), { mode: 'metal' });
    assert.deepEqual(errors, []);
  }
});

test('effectiveConfig() reads what generateConfig() wrote, for every type and contract', () => {
  for (const minor of minors) {
    for (const type of types) {
      const bundle = minor <= 2 ? oldSecrets : secrets;
      const isControlPlane = type === 'controlplane';
      const { certificate, key } = bundle.certs.os;
      const text = generateConfig(sampleInput(type, { additionalSANs: ['a.example', '10.1.1.1'] }, minor));
      const { machineType, token, issuingCA, acceptedCAs, certSANs, cluster, time } = effectiveConfig(
        loadConfiguration(text),
      );
      assert.deepEqual(
        {
          ...{ machineType, token, issuingCA, acceptedCAs, certSANs, timeServers: time.servers },
          ...{ clusterName: cluster.name, clusterEndpoint: cluster.endpoint },
        },
        {
          machineType: type,
          token: bundle.trustd.token,
          issuingCA: isControlPlane ? { certificate, key } : { certificate },
          acceptedCAs: [],
          certSANs: ['a.example', '10.1.1.1'],
          clusterName: !isControlPlane && minor <= 7 ? '' : 'alpha',
          clusterEndpoint: 'https://10.5.0.1:6443',
          timeServers: [],
        },
      );
    }
  }
});

test('generated documents are canonical: decoding and encoding does not change them', () => {
  const options: GenerateOptions = {
    kubeSpan: true,
    registryMirrors: { 'docker.io': ['http://a'] },
    sysctls: { a: '1' },
  };
  for (const minor of minors) {
    for (const type of types) {
      const text = generateConfig(sampleInput(type, options, minor));
      assert.equal(encodeConfiguration(loadConfiguration(text)), text);
    }
  }
});
