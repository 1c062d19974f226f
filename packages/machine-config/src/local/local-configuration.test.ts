import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { Configuration } from '../config-document.ts';
import { realSecrets } from '../convert/arbitrary-configuration.ts';
import { convertConfigurationText } from '../convert/convert-configuration.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { ConfigReader } from '../effective/config-reader.ts';
import { effectiveConfig } from '../effective/effective-config.ts';
import { kubernetesIdentity } from '../effective/kubernetes-identity.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { sampleInput, secrets } from '../generate/sample-input.ts';
import { applyPatches } from '../patch/apply-patches.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { mapSecrets } from '../redact/map-secrets.ts';
import { documentKinds } from '../schema/document-schema.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { type LocalNode, localConfiguration } from './local-configuration.ts';
import { isForeign } from './local-values.ts';

const local: LocalNode = {
  secrets: realSecrets,
  endpoint: 'https://127.9.9.2:6443',
  kubernetesVersion: '1.37.1',
  documents: [
    { kind: 'HostnameConfig', value: { auto: 'off', hostname: 'node01' } },
    { kind: 'TimeSyncConfig', value: { ntp: { servers: ['127.9.9.1:50123'] } } },
  ],
  deriveKey: (key) => createHmac('sha256', 'seed').update(key).digest('base64'),
};

/** A configuration of the old form with much that names hosts, files and disks of its own. */
const patch = `
machine:
  certSANs: [10.5.0.9, api.test]
  network: { nameservers: [10.5.0.53], interfaces: [{ interface: eth0, addresses: [10.5.0.7/24] }] }
  time: { servers: [ntp.example.test] }
  install: { disk: /dev/sdx }
  logging: { destinations: [{ endpoint: "tcp://logs.example.test:514", format: json_lines }] }
  registries: { mirrors: { docker.io: { endpoints: ["https://mirror.example.test"] } } }
  kubelet: { image: "registry.example.test/kubelet:v1.37.1", nodeIP: { validSubnets: [10.5.0.0/24] } }
  env: { https_proxy: "http://proxy.example.test" }
cluster:
  apiServer:
    image: registry.example.test/kube-apiserver:v1.37.1
    certSANs: [10.5.0.8, kube.test]
    extraArgs: { oidc-client-id: me, audit-log-maxage: "3", etcd-servers: "https://10.5.0.3:2379", feature-gates: "A=true" }
  etcd: { advertisedSubnets: [10.5.0.0/24], extraArgs: { election-timeout: "5000" } }
  extraManifests: ["https://manifests.example.test/a.yaml"]
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: cp-1
`;

const written = (minor: number, ...patches: string[]): string =>
  encodeConfiguration(
    applyPatches(
      loadConfiguration(generateConfig(sampleInput('controlplane', {}, minor))),
      patches.map(parsePatch),
    ),
  );

const errorsOf = (configuration: Configuration) =>
  validateConfiguration(configuration, { mode: 'container', local: true }).errors;

test('localConfiguration() leaves no secret, address, URL, image or host of the file in either form', () => {
  const { before, after } = convertConfigurationText(written(13, patch));
  const own = new Set<string>();
  for (const configuration of [before, after])
    mapSecrets(configuration, (text) => {
      own.add(text);
      return text;
    });
  assert.ok(own.size > 8);
  for (const configuration of [before, after]) {
    const { configuration: result } = localConfiguration(configuration, local);
    const text = encodeConfiguration(result);
    assert.deepEqual(
      [...own].filter((secret) => text.includes(secret)),
      [],
    );
    assert.doesNotMatch(text, /example\.test|10\.5\.0\.|\/dev\/sdx|cp-1/);
    assert.match(text, /registry\.k8s\.io\/kube-apiserver:v1\.37\.1/);
    assert.deepEqual(errorsOf(result), []);
    const { cluster, certSANs, hostname } = effectiveConfig(result);
    assert.deepEqual(
      [cluster.endpoint, certSANs, hostname.hostname],
      [local.endpoint, ['api.test'], 'node01'],
    );
    assert.equal(
      kubernetesIdentity(new ConfigReader(result)).ca.issuing?.certificate,
      realSecrets.certs.kubernetes.certificate,
    );
  }
});

test('localConfiguration() keeps the flags of the control plane that name no host, and says what it replaced', () => {
  const { configuration, replaced } = localConfiguration(loadConfiguration(written(13, patch)), local);
  const text = encodeConfiguration(configuration);
  for (const kept of ['audit-log-maxage', 'feature-gates', 'election-timeout', 'kube.test'])
    assert.ok(text.includes(kept), kept);
  for (const left of ['oidc-client-id', 'etcd-servers']) assert.ok(!text.includes(left), left);
  const reasonOf = (key: string) => replaced.find((each) => each.key === key)?.reason;
  const wanted = {
    'machine.token': 'secrets',
    'cluster.ca': 'secrets',
    'cluster.secretboxEncryptionSecret': 'secrets',
    'cluster.controlPlane.endpoint': 'addresses',
    'cluster.apiServer.image': 'images',
    'cluster.apiServer.extraArgs': 'hosts',
    'cluster.extraManifests': 'hosts',
    'machine.install': 'disks',
    'machine.network': 'links',
    'machine.registries': 'containers',
    HostnameConfig: 'addresses',
  } as const;
  for (const [key, reason] of Object.entries(wanted)) assert.equal(reasonOf(key), reason, key);
});

test('localConfiguration() gives equal keys of the encryption in etcd equal ones, and other keys others', () => {
  const { before, after } = convertConfigurationText(written(13));
  const keyOf = (configuration: Configuration) =>
    /(?:secretboxEncryptionSecret|secret): ([A-Za-z0-9+/]{43}=)/.exec(
      encodeConfiguration(
        localConfiguration(configuration, local).configuration.filter(
          ({ kind }) => kind === 'KubeEtcdEncryptionConfig' || kind === 'v1alpha1',
        ),
      ).replaceAll(/^ {4}secret: .*$/gm, ''),
    )?.[1];
  assert.equal(keyOf(before), local.deriveKey(secrets.secrets.secretboxEncryptionSecret ?? ''));
  assert.equal(keyOf(after), keyOf(before));
  const other = after.map((document) =>
    document.kind === 'KubeEtcdEncryptionConfig'
      ? {
          kind: document.kind,
          value: JSON.parse(
            JSON.stringify(document.value).replaceAll(
              secrets.secrets.secretboxEncryptionSecret ?? '',
              'A'.repeat(43).concat('='),
            ),
          ),
        }
      : document,
  );
  assert.notEqual(keyOf(other), keyOf(before));
});

test('localConfiguration() leaves out each kind of document that no rule knows', () => {
  const kept = documentKinds.filter(
    (kind) =>
      localConfiguration([{ kind, value: { name: 'x' } }], { ...local, documents: [] }).configuration.length >
      0,
  );
  assert.deepEqual(
    kept.filter(
      (kind) =>
        !/^Kube|^(?:v1alpha1|HostnameConfig|ResolverConfig|SecurityProfileConfig|DiscoveryIdentityConfig)$/.test(
          kind,
        ),
    ),
    [],
  );
  assert.ok(kept.includes('KubeAPIServerConfig'));
});

test('isForeign() finds addresses, URLs and paths, and no other text', () => {
  const foreign = [
    '10.5.0.1',
    '10.5.0.1:443',
    'fd00::1',
    '[fd00::1]:443',
    'https://a.test',
    '/etc/x',
    'a,10.0.0.1',
  ];
  const own = ['3', 'api/all=true', '10.96.0.0/12', 'A=true,B=false', '1h0m0s', 'node.test', ''];
  assert.deepEqual(
    foreign.filter((text) => !isForeign(text)),
    [],
  );
  assert.deepEqual(own.filter(isForeign), []);
});
