import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { readNodeConfig } from '../node-config.ts';
import { sampleSecrets } from '../secrets/sample-secrets.ts';
import { secretsFromConfig } from '../secrets/secrets-from-config.ts';
import { generateConfig, generateDocuments } from './generate-config.ts';
import type { GenerateInput, GenerateOptions } from './generate-options.ts';

const secrets = await sampleSecrets();
const oldSecrets = await sampleSecrets({ major: 1, minor: 2 });
const types = ['controlplane', 'worker'] as const;
const minors = Array.from({ length: 16 }, (_, minor) => minor);

function input(type: GenerateInput['type'], options: GenerateOptions = {}, minor = 15): GenerateInput {
  const bundle = minor <= 2 ? oldSecrets : secrets;
  const contract = { major: 1, minor };
  return {
    secrets: bundle,
    clusterName: 'alpha',
    endpoint: 'https://10.5.0.1:6443',
    type,
    contract,
    options,
  };
}

/** The documents as another YAML reader sees them. */
function documentsOf(text: string): Record<string, unknown>[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>);
}

/** `kind: keys` per document, in order. */
function outline(text: string): string[] {
  return documentsOf(text).map(
    ({ apiVersion: _, kind, ...rest }) => `${kind ?? 'v1alpha1'}: ${Object.keys(rest).join(' ')}`,
  );
}

/** All paths to leaves, in order; empty collections are leaves. */
function paths(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [at];
  return Object.entries(value).flatMap(([key, child]) => paths(child, at === '' ? key : `${at}.${key}`));
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
  assert.deepEqual(outline(generateConfig(input('controlplane'))), [
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
  assert.deepEqual(outline(generateConfig(input('worker'))), [
    ...ofEveryNode,
    'KubeNodeConfig: nodeIP',
    'KubeletConfig: image config defaultRuntimeSeccompProfileEnabled',
    'KubeNetworkConfig: dnsDomain podSubnets serviceSubnets',
    'KubeAPIServerCAConfig: acceptedCAs',
    'KubePrismConfig: port',
  ]);
});

test('generateConfig() puts conditional documents in their places', () => {
  const options: GenerateOptions = {
    sysctls: { 'net.core.somaxconn': '65535' },
    registryMirrors: { 'registry.k8s.io': ['http://b'], 'docker.io': ['http://a', 'http://c'] },
    kubeSpan: true,
    clusterDiscovery: false,
    installDisk: '',
    customCNI: ['https://example.org/cni.yaml'],
  };
  const text = generateConfig(input('controlplane', options));
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

test('generateConfig() keeps keys away from workers', () => {
  for (const minor of minors) {
    const text = generateConfig(input('worker', {}, minor));
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

test('generateConfig() leaves Kubernetes and etcd out when asked to', () => {
  const parts = (minor: number) =>
    documentsOf(generateConfig(input('controlplane', { skipKubernetesAndEtcd: true }, minor))).flatMap(
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

test('readNodeConfig() reads back what generateConfig() wrote, for every type and contract', () => {
  for (const minor of minors) {
    for (const type of types) {
      const bundle = minor <= 2 ? oldSecrets : secrets;
      const isControlPlane = type === 'controlplane';
      const { certificate, key } = bundle.certs.os;
      assert.deepEqual(
        readNodeConfig(generateConfig(input(type, { additionalSANs: ['a.example', '10.1.1.1'] }, minor))),
        {
          machineType: type,
          token: bundle.trustd.token,
          ca: isControlPlane ? { certificate, key } : { certificate },
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

test('generated documents are in the written form already: decoding and encoding changes nothing', () => {
  const options: GenerateOptions = {
    kubeSpan: true,
    registryMirrors: { 'docker.io': ['http://a'] },
    sysctls: { a: '1' },
  };
  for (const minor of minors) {
    for (const type of types) {
      const text = generateConfig(input(type, options, minor));
      assert.equal(encodeConfiguration(loadConfiguration(text)), text);
    }
  }
});

test('the number of documents follows the contract', () => {
  const count = (minor: number) =>
    documentsOf(generateConfig(input('worker', { kubeSpan: true }, minor))).length;
  assert.deepEqual([15, 14, 13, 12, 11, 0].map(count), [16, 16, 3, 2, 1, 1]);
});

test('the v1alpha1 document of contract 1.13 has the keys of the reference in order', () => {
  const [legacy] = documentsOf(
    generateConfig(input('controlplane', { installImage: 'installer:v1' }, 13)),
  ) as [{ machine: object; cluster: object }];
  assert.deepEqual(paths(legacy.machine), [
    'type',
    'token',
    'ca.crt',
    'ca.key',
    'certSANs',
    'kubelet.image',
    'kubelet.defaultRuntimeSeccompProfileEnabled',
    'kubelet.disableManifestsDirectory',
    'install.disk',
    'install.image',
    'install.wipe',
    'install.grubUseUKICmdline',
    'features.diskQuotaSupport',
    'features.kubePrism.enabled',
    'features.kubePrism.port',
    'features.hostDNS.enabled',
    'features.hostDNS.forwardKubeDNSToHost',
    'nodeLabels.node.kubernetes.io/exclude-from-external-load-balancers',
  ]);
  assert.deepEqual(Object.keys(legacy.cluster), [
    'id',
    'secret',
    'controlPlane',
    'clusterName',
    'network',
    'token',
    'secretboxEncryptionSecret',
    'ca',
    'aggregatorCA',
    'serviceAccount',
    'apiServer',
    'controllerManager',
    'proxy',
    'scheduler',
    'discovery',
    'etcd',
  ]);
});

/** What a contract has that the one before it has not, and the other way round, as paths of the whole control plane. */
function difference(older: number): { gained: string[]; lost: string[] } {
  const all = (minor: number) =>
    documentsOf(
      generateConfig(input('controlplane', { kubeSpan: true, allowSchedulingOnControlPlanes: true }, minor)),
    ).flatMap((document) => paths(document).map((path) => `${(document.kind as string) ?? ''}/${path}`));
  const before = all(older);
  const after = all(older + 1);
  return {
    gained: after.filter((path) => !before.includes(path)),
    lost: before.filter((path) => !after.includes(path)),
  };
}

test('each contract changes what the table of contracts says, from one to the next', () => {
  const document = (kind: string, ...keys: string[]) =>
    ['apiVersion', 'kind', ...keys].map((key) => `${kind}/${key}`);
  assert.deepEqual(difference(14), { gained: [], lost: [] });
  assert.deepEqual(difference(12), {
    gained: document('KubeSpanConfig', 'enabled'),
    lost: ['/machine.network.kubespan.enabled'],
  });
  assert.deepEqual(difference(11), {
    gained: ['/machine.install.grubUseUKICmdline', ...document('HostnameConfig', 'auto')],
    lost: [
      '/machine.features.rbac',
      '/machine.features.stableHostname',
      '/machine.features.apidCheckExtKeyUsage',
      '/cluster.apiServer.certSANs.0',
      '/cluster.apiServer.disablePodSecurityPolicy',
    ],
  });
  for (const same of [10, 9, 8, 3]) assert.deepEqual(difference(same), { gained: [], lost: [] });
  assert.deepEqual(difference(7), {
    gained: [
      '/machine.features.hostDNS.forwardKubeDNSToHost',
      '/machine.nodeLabels.node.kubernetes.io/exclude-from-external-load-balancers',
    ],
    lost: [],
  });
  assert.deepEqual(difference(6), { gained: ['/machine.features.hostDNS.enabled'], lost: [] });
  assert.deepEqual(difference(5), {
    gained: ['/machine.features.kubePrism.enabled', '/machine.features.kubePrism.port'],
    lost: [],
  });
  assert.deepEqual(difference(4), { gained: ['/machine.features.diskQuotaSupport'], lost: [] });
  assert.deepEqual(difference(2), {
    gained: [
      '/machine.kubelet.disableManifestsDirectory',
      '/machine.features.apidCheckExtKeyUsage',
      '/cluster.secretboxEncryptionSecret',
      '/cluster.apiServer.auditPolicy.apiVersion',
      '/cluster.apiServer.auditPolicy.kind',
      '/cluster.apiServer.auditPolicy.rules.0.level',
    ],
    lost: [
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.0',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.1',
      '/cluster.aescbcEncryptionSecret',
    ],
  });
  assert.deepEqual(difference(1), {
    gained: [
      '/machine.kubelet.defaultRuntimeSeccompProfileEnabled',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.0',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.1',
      '/machine.features.stableHostname',
      '/cluster.discovery.registries.kubernetes.disabled',
      '/cluster.allowSchedulingOnControlPlanes',
    ],
    lost: ['/cluster.discovery.registries.kubernetes', '/cluster.allowSchedulingOnMasters'],
  });
  assert.deepEqual(
    difference(0).gained.every((path) => path.startsWith('/cluster.apiServer.admissionControl.0.')),
    true,
  );
});

test('comments change nothing but comments', () => {
  for (const minor of [15, 11]) {
    const documents = generateDocuments(input('controlplane', { kubeSpan: true }, minor));
    const bare = encodeConfiguration(documents);
    for (const [docs, examples] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const text = encodeConfiguration(documents, { docs, examples });
      assert.notEqual(text, bare);
      assert.equal(encodeConfiguration(loadConfiguration(text)), bare);
    }
  }
});

test('every generated field with a fixed name has a line of help', () => {
  const options: GenerateOptions = {
    kubeSpan: true,
    installImage: 'i',
    registryMirrors: { 'docker.io': ['http://a'] },
  };
  for (const minor of minors) {
    for (const type of types) {
      const text = generateConfig({
        ...input(type, options, minor),
        comments: { docs: true, examples: false },
      });
      const lines = text
        .replaceAll(
          /^( *)(?:configuration|auditPolicy|config|labels|taints|nodeLabels|mirrors):\n(?:\1 +.*\n)+/gm,
          '',
        )
        .split('\n');
      const silent = lines.filter((line, at) => {
        if (!/^ *(?:- )?[A-Za-z]+:(?: |$)/.test(line) || / # /.test(line) || line.startsWith('apiVersion'))
          return false;
        return !lines[at - 1]?.trimStart().startsWith('#');
      });
      assert.deepEqual(silent, []);
    }
  }
});

test('examples decode once their comment marks are gone', () => {
  const documents = generateDocuments(input('controlplane'));
  const text = encodeConfiguration(documents, { docs: false, examples: true });
  const uncommented = text
    .split('---\n')
    // A sample that stands for an empty value takes its place.
    .map((part) =>
      part
        .replaceAll(/^( *)(\w+): (?:\{\}|\[\])\n\1# \2:/gm, '$1$2:')
        .replaceAll(/^( *\w+:) \{\}\n#(?= {4})/gm, '$1\n'),
    )
    .map((part) => part.replaceAll(/^( *)# ?/gm, '$1'))
    .join('---\n');
  const samples = encodeConfiguration(loadConfiguration(uncommented));
  assert.equal(
    samples.includes('node.example.org') && samples.includes('registry.example.org/installer'),
    true,
  );
});

test('secretsFromConfig() takes from a control plane, of every contract, the secrets it was made with', () => {
  for (const minor of minors) {
    const { secrets: bundle } = input('controlplane', {}, minor);
    assert.deepEqual(secretsFromConfig(generateConfig(input('controlplane', {}, minor))), bundle);
  }
});

test('secretsFromConfig() refuses workers and names the part that a control plane lacks', () => {
  assert.throws(() => secretsFromConfig(generateConfig(input('worker'))), {
    kind: 'invalid-argument',
    message: /of a control plane$/,
  });
  const text = generateConfig(input('controlplane', { skipKubernetesAndEtcd: true }));
  assert.throws(() => secretsFromConfig(text), {
    kind: 'invalid-argument',
    message: /^the configuration does not hold the key that encrypts secrets in etcd$/,
  });
});
