import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { sampleInput, types } from '../generate/sample-input.ts';
import { generateSecrets } from '../secrets/generate-secrets.ts';
import { documentText, sampleAuthority, verdict } from './sample-validation.ts';
import { validateConfiguration, validationMessage, validationModes } from './validate-configuration.ts';

const crt = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
const legacy = (type: string, machine = '', cluster = '') =>
  `machine:\n  type: ${type}\n  ca: { crt: ${crt}${type === 'worker' ? '' : `, key: ${crt}`} }\n${machine}\ncluster:\n  token: t\n${cluster}\n`;

test('validateConfiguration() reports no error for generated configurations, for every contract and mode', async () => {
  const { certificate, key } = await sampleAuthority();
  const secrets = await generateSecrets({
    now: new Date(),
    keys: {
      certificateAuthority: async () => ({ certificate, key }),
      serviceAccountKey: async () => ({ key }),
    },
  });
  for (const type of types) {
    for (const minor of [3, 5, 7, 8, 10, 11, 12, 13, 14, 15]) {
      const text = generateConfig({ ...sampleInput(type, { kubeSpan: true }, minor), secrets });
      for (const mode of validationModes) {
        if (mode === 'container' && minor <= 7) continue;
        const { errors } = validateConfiguration(loadConfiguration(text), { mode });
        assert.deepEqual(errors, [], `${type} 1.${minor} ${mode}`);
      }
    }
  }
});

test('validationMessage() nests errors of the v1alpha1 document and names others by kind and name', () => {
  const configuration = loadConfiguration(
    [
      documentText('VLANConfig', 'name: v'),
      legacy('worker', '  nodeLabels: { -: x }'),
      documentText('HostnameConfig', ''),
    ].join('---\n'),
  );
  const result = validateConfiguration(configuration, { mode: 'metal' });
  assert.equal(
    validationMessage(result),
    `3 errors occurred:
	* v1alpha1.Config: 1 error occurred:
	* machine.nodeLabels.- must be up to 63 letters, digits, "-", "_" and ".", and begin and end with a letter or digit (line 8, column 20)


	* VLANConfig/v: vlanID must be 1 to 4094 (line 1, column 1)
parent is required (line 1, column 1)
	* HostnameConfig: needs auto or hostname (line 13, column 1)

`,
  );
  assert.equal(validationMessage({ warnings: ['w'], errors: [] }), undefined);
});

test('a document conflicts with the legacy settings that it replaces', () => {
  const rows: [document: string, machine: string, cluster: string, ...paths: string[]][] = [
    [
      documentText('HostnameConfig', 'auto: off'),
      '  network: { hostname: a }\n  features: { stableHostname: true }',
      '',
      'machine.network.hostname',
      'machine.features.stableHostname',
    ],
    [
      documentText('HostnameConfig', 'auto: off'),
      '  network: { hostname: "" }\n  features: { stableHostname: false }',
      '',
    ],
    [
      documentText('DiscoveryServiceConfig', 'name: d\nendpoint: https://d/'),
      '',
      '  discovery: { enabled: false }',
      'cluster.discovery',
    ],
    [
      documentText('ResolverConfig', 'searchDomains: { disableDefault: true }'),
      '  features: { hostDNS: {} }\n  network: { nameservers: [1.1.1.1], disableSearchDomain: true }',
      '',
      'machine.network.nameservers',
      'machine.network.disableSearchDomain',
    ],
    [
      documentText('ResolverConfig', 'hostDNS: { enabled: true }'),
      '  features: { hostDNS: {} }',
      '',
      'machine.features.hostDNS',
    ],
    [
      documentText('TimeSyncConfig', 'enabled: true'),
      '  time: { servers: [a], bootTimeout: 1m }',
      '',
      'machine.time.servers',
      'machine.time.bootTimeout',
    ],
    [documentText('KubeletConfig', 'image: x'), '  kubelet: {}', '', 'machine.kubelet'],
    [
      documentText('KubeNodeConfig', 'nodeIP: {}'),
      '  nodeTaints: { a: NoExecute }',
      '  allowSchedulingOnControlPlanes: false',
      'cluster.allowSchedulingOnControlPlanes',
      'machine.nodeTaints',
    ],
    [
      documentText('VolumeConfig', 'name: STATE\nencryption: { provider: luks2, keys: [{ nodeID: {} }] }'),
      '  systemDiskEncryption: { state: { keys: [{ nodeID: {} }] } }',
      '',
      'machine.systemDiskEncryption.state',
    ],
    [
      documentText('VolumeConfig', 'name: EPHEMERAL'),
      '  systemDiskEncryption: { ephemeral: { keys: [{ nodeID: {} }] } }',
      '',
    ],
  ];
  for (const [document, machine, cluster, ...paths] of rows) {
    const { errors } = verdict([legacy('controlplane', machine, cluster), document]);
    const conflicts = errors.flatMap(
      (error) => /conflicts with (\S+) of v1alpha1\.Config$/.exec(error)?.[1] ?? [],
    );
    assert.deepEqual(conflicts, paths, document);
    assert.deepEqual(
      verdict([document]).errors.filter((error) => error.includes('conflicts with')),
      [],
    );
  }
});

test('a conflict error contains the position of the legacy setting', () => {
  const texts = [documentText('HostnameConfig', 'auto: off'), legacy('worker', '  network: { hostname: a }')];
  assert.deepEqual(validateConfiguration(loadConfiguration(texts.join('---\n')), { mode: 'metal' }).errors, [
    'HostnameConfig conflicts with machine.network.hostname of v1alpha1.Config (line 8, column 24)',
  ]);
});

test('validation checks rules across documents', () => {
  const kubeCA = `  ca: { crt: ${crt}, key: ${crt} }`;
  const rows: [texts: string[], mode: 'container' | 'metal', ...errors: string[]][] = [
    [[legacy('worker')], 'metal'],
    [
      [legacy('worker')],
      'container',
      'host DNS must be enabled in a container: ResolverConfig hostDNS.enabled',
    ],
    [
      [legacy('worker', '  features: { hostDNS: { enabled: true } }')],
      'container',
      'cluster DNS must be forwarded to host DNS in a container: ResolverConfig hostDNS.forwardKubeDNSToHost',
    ],
    [
      [
        legacy('worker'),
        documentText('ResolverConfig', 'hostDNS: { enabled: true, forwardKubeDNSToHost: true }'),
      ],
      'container',
    ],
    [
      [documentText('DiscoveryServiceConfig', 'name: d\nendpoint: https://d/')],
      'metal',
      'discovery needs the ID of the cluster: DiscoveryIdentityConfig clusterID',
      'discovery needs the secret of the cluster: DiscoveryIdentityConfig clusterSecret',
    ],
    [
      [documentText('KubeSpanConfig', 'enabled: true')],
      'metal',
      'KubeSpan needs discovery: DiscoveryServiceConfig',
    ],
    [
      [legacy('controlplane', '', kubeCA)],
      'metal',
      'a node with the Kubernetes issuing CA needs etcd encryption: KubeEtcdEncryptionConfig',
    ],
    [[legacy('controlplane', '', `${kubeCA}\n  secretboxEncryptionSecret: s`)], 'metal'],
    [
      [
        documentText('KubeCoreDNSConfig', ''),
        documentText('KubeAuthorizerConfig', 'name: b\ntype: RBAC'),
        documentText('KubeAuthorizerConfig', 'name: a\ntype: Node'),
      ],
      'metal',
      'only for control planes: KubeAuthorizerConfig, KubeCoreDNSConfig',
    ],
    [
      [legacy('worker'), documentText('KubeCoreDNSConfig', '')],
      'metal',
      'only for control planes: KubeCoreDNSConfig',
    ],
    [[legacy('init'), documentText('KubeCoreDNSConfig', '')], 'metal'],
  ];
  for (const [texts, mode, ...errors] of rows)
    assert.deepEqual(verdict(texts, { mode }).errors, errors, texts.join('---\n'));
});

test('dependencies of containers must exist and must not be circular', () => {
  const container = (name: string, ...needs: string[]) =>
    documentText(
      'ContainerConfig',
      `name: ${name}\nimage: i\ndependsOn: { containers: [${needs.join(', ')}] }`,
    );
  assert.deepEqual(verdict([container('a', 'b', 'x'), container('b', 'c'), container('c')]).errors, [
    'ContainerConfig/a: dependsOn.containers names "x", which does not exist',
  ]);
  assert.deepEqual(
    verdict([container('z', 'a'), container('a', 'b'), container('b', 'c'), container('c', 'a')]).errors,
    ['circular dependency between containers: a -> b -> c -> a'],
  );
  const chain = Array.from({ length: 900 }, (_, at) =>
    container(`c${at}`, ...(at < 899 ? [`c${at + 1}`] : [])),
  );
  assert.deepEqual(verdict(chain).errors, []);
});
