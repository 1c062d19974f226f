import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConfigReader,
  effectiveConfig,
  generateConfig,
  generateSecrets,
  kubernetesIdentity,
  loadConfiguration,
  parsePatch,
} from '@nodewright/machine-config';
import { diffByMeaning } from '@nodewright/node-files';
import { issueCertificate } from '@nodewright/pki';
import { parse } from 'yaml';
import { bootstrapKubeconfig, kubeletSecretsFrom } from './bootstrap-kubeconfig.ts';
import { clientCertificateProblem } from './client-certificate.ts';

const secrets = await generateSecrets({ now: new Date(0) });
const withoutKubePrism = 'apiVersion: v1alpha1\nkind: KubePrismConfig\n$patch: delete';

function documentsOf(type: 'controlplane' | 'worker', ...patches: string[]) {
  return loadConfiguration(
    generateConfig({
      ...{ secrets, clusterName: 'alpha', endpoint: 'https://10.5.0.1:6443', type },
      patches: patches.map(parsePatch),
    }),
  );
}

function kubeletSecretsOf(type: 'controlplane' | 'worker', ...patches: string[]) {
  const documents = documentsOf(type, ...patches);
  return kubeletSecretsFrom(effectiveConfig(documents), kubernetesIdentity(new ConfigReader(documents)));
}

test('the kubelet joins through KubePrism, else its own API server, else the endpoint of the cluster', () => {
  assert.equal(kubeletSecretsOf('worker')?.endpoint, 'https://127.0.0.1:7445');
  assert.equal(kubeletSecretsOf('controlplane', withoutKubePrism)?.endpoint, 'https://localhost:6443');
  assert.equal(kubeletSecretsOf('worker', withoutKubePrism)?.endpoint, 'https://10.5.0.1:6443');
});

test('a node whose configuration has no cluster has no secrets for a kubelet', () => {
  const documents = loadConfiguration('version: v1alpha1\nmachine: { type: worker }\n');
  const identity = kubernetesIdentity(new ConfigReader(documents));
  assert.equal(kubeletSecretsFrom(effectiveConfig(documents), identity), undefined);
});

test('bootstrapKubeconfig() has the token of the cluster and trusts its authority', () => {
  const found = kubeletSecretsOf('worker');
  assert.ok(found !== undefined);
  const { certificate } = secrets.certs.kubernetes;
  assert.deepEqual(parse(bootstrapKubeconfig(found)), {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'local',
        cluster: {
          server: 'https://127.0.0.1:7445',
          'certificate-authority-data': Buffer.from(certificate).toString('base64'),
        },
      },
    ],
    users: [{ name: 'kubelet', user: { token: secrets.secrets.bootstrapToken } }],
    contexts: [{ name: 'kubelet@local', context: { cluster: 'local', user: 'kubelet' } }],
    'current-context': 'kubelet@local',
  });
});

test('a client certificate is kept while its name and its issuer are those of the node', async () => {
  const { kubernetes, kubernetesAggregator } = secrets.certs;
  const issued = async (commonName: string, issuer = kubernetes) => {
    const { certificate, key } = await issueCertificate({
      issuer,
      subject: { commonName, organizations: ['system:nodes'] },
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['clientAuth'],
      notBefore: new Date(0),
      lifetimeHours: 1,
    });
    return certificate + key;
  };
  const problem = (pem: string) =>
    clientCertificateProblem(pem, {
      nodename: 'node01',
      authorities: [kubernetesAggregator.certificate, kubernetes.certificate].slice(1),
    });
  assert.equal(problem(await issued('system:node:node01')), undefined);
  assert.equal(
    problem(await issued('system:node:node02')),
    'it is for "system:node:node02", not for "system:node:node01"',
  );
  assert.equal(
    problem(await issued('system:node:node01', kubernetesAggregator)),
    'its issuer is not accepted',
  );
  assert.equal(problem('-----BEGIN'), 'it cannot be read');
});

test('diffByMeaning() says that the kubelet restarts when what it joins the cluster with is different', async () => {
  const { certs } = await generateSecrets({ now: new Date(0) });
  const indented = (pem: string) => pem.trimEnd().replaceAll('\n', '\n      ');
  const accepted = `apiVersion: v1alpha1\nkind: KubeAPIServerCAConfig\nacceptedCAs:\n  - |\n      ${indented(certs.kubernetes.certificate)}\n`;
  const audiences = 'apiVersion: v1alpha1\nkind: KubeServiceAccountConfig\naccepted: { audiences: [a] }\n';
  for (const [type, patch, restarts] of [
    ['controlplane', accepted, true],
    ['worker', accepted, true],
    ['controlplane', 'cluster: { token: abcdef.0123456789abcdef }', true],
    ['worker', 'cluster: { token: abcdef.0123456789abcdef }', true],
    ['controlplane', audiences, false],
  ] as const) {
    const differs = JSON.stringify(kubeletSecretsOf(type)) !== JSON.stringify(kubeletSecretsOf(type, patch));
    const found = diffByMeaning(documentsOf(type), documentsOf(type, patch));
    assert.deepEqual([differs, found.restarts.includes('kubelet')], [restarts, restarts], patch);
  }
});
