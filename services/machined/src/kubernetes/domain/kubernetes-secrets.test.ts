import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConfigReader,
  effectiveConfig,
  kubernetesIdentity,
  loadConfiguration,
} from '@nodewright/machine-config';
import {
  etcdEncryptionText,
  firstAddress,
  goMemoryLimit,
  kubernetesRootFrom,
  userPods,
} from '@nodewright/node-files';
import { controlPlaneText } from '@nodewright/node-files/testing';
import { parse } from 'yaml';
import { planAdminKubeconfig } from './admin-kubeconfig.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { kubernetesCertSans } from './kubernetes-cert-sans.ts';
import { adminCertificate, apiServerCertificate } from './kubernetes-certificates.ts';

function configOf(text: string) {
  const documents = loadConfiguration(text);
  return { config: effectiveConfig(documents), identity: kubernetesIdentity(new ConfigReader(documents)) };
}

function rootOf(text: string, ownAddress?: string) {
  const { config, identity } = configOf(text);
  return kubernetesRootFrom(config, identity, ownAddress);
}

const documentsText = await controlPlaneText();
const legacyText = await controlPlaneText({ minor: 13 });

test('kubernetesRootFrom() has the same secrets from documents and from the legacy section', () => {
  const [documents, legacy] = [rootOf(documentsText), rootOf(legacyText)];
  assert.ok(documents !== undefined && legacy !== undefined);
  const { etcdEncryptionConfig, ...first } = documents;
  const { secretboxEncryptionSecret, etcdEncryptionConfig: none, ...second } = legacy;
  assert.deepEqual({ ...first, secretboxEncryptionSecret: '' }, { ...second, secretboxEncryptionSecret: '' });
  assert.deepEqual(none, {});
  const providers = (etcdEncryptionConfig.resources as { providers: object[] }[])[0]?.providers;
  assert.deepEqual(providers, [
    { secretbox: { keys: [{ name: 'key2', secret: secretboxEncryptionSecret }] } },
  ]);
});

test('kubernetesRootFrom() derives names, addresses and endpoints of a cluster', () => {
  const root = rootOf(documentsText);
  const { name, endpoint, local_endpoint, certSANs, apiServerIPs, dnsDomain, issuerURL, apiAudiences } =
    root ?? {};
  assert.deepEqual(
    { name, endpoint, local_endpoint, certSANs, apiServerIPs, dnsDomain, issuerURL, apiAudiences },
    {
      name: 'alpha',
      endpoint: 'https://10.5.0.1:6443',
      local_endpoint: 'https://127.0.0.1:7445',
      certSANs: ['10.5.0.1'],
      apiServerIPs: ['10.96.0.1'],
      dnsDomain: 'cluster.local',
      issuerURL: 'https://10.5.0.1:6443',
      apiAudiences: ['https://10.5.0.1:6443'],
    },
  );
  assert.equal(rootOf(documentsText, '127.5.0.2')?.local_endpoint, 'https://127.5.0.2:7445');
  assert.match(root?.bootstrapTokenID ?? '', /^[a-z0-9]{6}$/);
  assert.match(root?.bootstrapTokenSecret ?? '', /^[a-z0-9]{16}$/);
});

test('kubernetesRootFrom() returns nothing for workers and for nodes without Kubernetes', () => {
  assert.equal(rootOf(documentsText.replace('type: controlplane', 'type: worker')), undefined);
  assert.equal(rootOf('version: v1alpha1\nmachine: { type: controlplane }\n'), undefined);
});

test('kubernetesCertSans() names the API server by every name that clients use', () => {
  const root = {
    certSANs: ['10.5.0.1', 'api.example.org'],
    apiServerIPs: ['10.96.0.1', 'fc00::1'],
    dnsDomain: 'c.local',
  };
  const hostname = { hostname: 'cp1', domainname: 'example.org' };
  const addresses = { addresses: ['10.5.0.2/24'], sortAlgorithm: 'v1' } as const;
  assert.deepEqual(kubernetesCertSans(root, hostname, addresses), {
    ips: ['10.5.0.1', '10.5.0.2', '10.96.0.1', '127.0.0.1', '::1', 'fc00::1'],
    dnsNames: [
      ...['api.example.org', 'cp1', 'cp1.example.org', 'kubernetes', 'kubernetes.default'],
      ...['kubernetes.default.svc', 'kubernetes.default.svc.c.local', 'localhost'],
    ],
    fqdn: 'cp1.example.org',
  });
});

test('certificates have the names, usages and lifetimes of the reference', () => {
  const server = apiServerCertificate({ ips: ['10.0.0.1'], dnsNames: ['a'], fqdn: 'a' });
  assert.deepEqual(server, {
    commonName: 'kube-apiserver',
    organizations: ['kube-master'],
    dnsNames: ['a'],
    ipAddresses: ['10.0.0.1'],
    keyUsage: ['digitalSignature', 'keyEncipherment'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: 8760,
  });
  assert.deepEqual(
    [adminCertificate(0), adminCertificate(7_200_000)].map(({ lifetimeHours }) => lifetimeHours),
    [8760, 2],
  );
  const { commonName, organizations, extendedKeyUsage } = adminCertificate(0);
  assert.deepEqual(
    [commonName, organizations, extendedKeyUsage],
    ['admin', ['system:masters'], ['clientAuth']],
  );
});

test('etcdEncryptionText() writes with the secretbox key, then AES-CBC, and reads plain resources', () => {
  const of = (secretbox: string, aescbc: string) =>
    parse(
      etcdEncryptionText({
        etcdEncryptionConfig: {},
        secretboxEncryptionSecret: secretbox,
        aesCBCEncryptionSecret: aescbc,
      }),
    ).resources[0].providers;
  const key = (name: string, secret: string) => ({ keys: [{ name, secret }] });
  assert.deepEqual(of('S', 'A'), [
    { secretbox: key('key2', 'S') },
    { aescbc: key('key1', 'A') },
    { identity: {} },
  ]);
  assert.deepEqual(of('', ''), [{ identity: {} }]);
});

test('planAdminKubeconfig() takes server, names and lifetime from the configuration', async () => {
  const text = await controlPlaneText({ patches: ['cluster: { adminKubeconfig: { certLifetime: 1h30m } }'] });
  const { config, identity } = configOf(text);
  const { lifetimeMs, kubeconfig, issuer } = planAdminKubeconfig(config, identity);
  assert.deepEqual([lifetimeMs, issuer.crt], [5_400_000, identity.ca.issuing?.certificate]);
  const document = parse(kubeconfigText({ ...kubeconfig, certificate: 'C', key: 'K' }));
  assert.deepEqual(document, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'alpha',
        cluster: {
          server: 'https://10.5.0.1:6443',
          'certificate-authority-data': Buffer.from(identity.ca.issuing?.certificate ?? '').toString(
            'base64',
          ),
        },
      },
    ],
    users: [{ name: 'admin@alpha', user: { 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } }],
    contexts: [
      { name: 'admin@alpha', context: { cluster: 'alpha', namespace: 'default', user: 'admin@alpha' } },
    ],
    'current-context': 'admin@alpha',
  });
  const refused = { kind: 'failed-precondition', message: 'k8s API server CA config is not set' };
  assert.throws(() => planAdminKubeconfig(undefined, undefined), refused);
  assert.throws(() => planAdminKubeconfig({ ...config, machineType: 'worker' }, identity), refused);
});

test('firstAddress() follows the address of the network', () => {
  const subnets = ['10.96.0.0/12', '10.97.1.2/12', '10.0.0.255/32', 'fc00:db8:20::/112', 'fd00::ff00/120'];
  assert.deepEqual(subnets.map(firstAddress), [
    '10.96.0.1',
    '10.96.0.1',
    '10.0.1.0',
    'fc00:db8:20::1',
    'fd00::ff01',
  ]);
  assert.throws(() => firstAddress('x'), { kind: 'invalid-argument' });
});

test('goMemoryLimit() is 95 % of a quantity in bytes', () => {
  assert.deepEqual(
    ['1Gi', '100M', '1.5Ki', '2e3', '1000m', '0', '', 'x', '1Zi', undefined].map(goMemoryLimit),
    [
      '1020054732',
      '95000000',
      '1459',
      '1900',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
});

test('userPods() gives each pod an id, and leaves out those without a name or with one that is taken', () => {
  const pod = (name: string, namespace?: string) => ({ metadata: { name, namespace }, kind: 'Pod' });
  const pods = userPods([pod('a'), pod('a', 'x'), pod('a'), {}, { metadata: {} }]);
  assert.deepEqual(
    pods.map(({ id }) => id),
    ['default-a', 'x-a'],
  );
});
