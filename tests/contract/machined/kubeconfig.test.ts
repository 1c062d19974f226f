// Kubeconfig: the certificate that a control plane issues for an administrator of Kubernetes.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseKubeconfig, readKubeconfig } from '@nodewright/client/kubeconfig';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { generateConfig } from '@nodewright/machine-config';
import { backdatingMs, clientCertificateProblem } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets } from './harness/cluster-material.ts';
import { startNode } from './harness/node-under-test.ts';

const secrets = await clusterSecrets();
const node = await startNode({ secrets });
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:admin');
const { signal } = new AbortController();

const text = (base64: unknown) => Buffer.from(String(base64), 'base64').toString();

async function collect(stream: AsyncIterable<{ readonly bytes: Uint8Array }>): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  for await (const { bytes } of stream) messages.push(bytes);
  return messages;
}

test('a kubeconfig has a fresh certificate of the Kubernetes CA for a year, valid before it was issued', async () => {
  const config = parseKubeconfig(await readKubeconfig({ machine } as never, signal), 'the answer');
  const [cluster, user] = [config.clusters[0]?.cluster, config.users[0]?.user] as Record<string, unknown>[];
  const ca = text(cluster?.['certificate-authority-data']);
  assert.equal(ca, secrets.certs.kubernetes.certificate);
  assert.equal(cluster?.server, `https://${node.address}:6443`);
  const crt = text(user?.['client-certificate-data']);
  assert.equal(clientCertificateProblem({ certificate: crt, ca, now: new Date() }), undefined);
  const certificate = new X509Certificate(crt);
  assert.deepEqual(certificate.subject.split('\n').sort(), ['CN=admin', 'O=system:masters']);
  const [fromMs, toMs] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  assert.equal(toMs - fromMs, 8760 * 3_600_000 + backdatingMs);
  const ageMs = Date.now() - fromMs;
  assert.ok(ageMs >= backdatingMs && ageMs < backdatingMs + 60_000, String(ageMs));
  assert.match(text(user?.['client-key-data']), /^-----BEGIN (EC )?PRIVATE KEY-----/);
  assert.deepEqual(
    [config.currentContext, config.contexts],
    [
      'admin@contract',
      [
        {
          name: 'admin@contract',
          context: { cluster: 'contract', namespace: 'default', user: 'admin@contract' },
        },
      ],
    ],
  );
});

test('the answer is one message with one file in a compressed archive', async () => {
  const messages = await collect(machine.kubeconfig({}));
  assert.equal(messages.length, 1);
  const tar = gunzipSync(messages[0] ?? Buffer.alloc(0));
  const field = (from: number, to: number) => tar.subarray(from, to).toString('latin1').replace(/\0.*$/s, '');
  assert.deepEqual([field(0, 100), Number.parseInt(field(100, 108), 8)], ['kubeconfig', 0o600]);
});

test('only an administrator gets a kubeconfig', async () => {
  for (const roles of [
    ['os:reader'],
    ['os:operator'],
    ['os:reader', 'os:operator'],
    ['os:etcd:backup'],
    [],
  ]) {
    const other = node.client(MachineServiceDefinition, ...roles);
    await assert.rejects(collect(other.kubeconfig({})), { code: 7, details: 'not authorized' });
  }
});

test('a worker issues no kubeconfig', async () => {
  await using worker = await startNode({ type: 'worker' });
  await assert.rejects(collect(worker.client(MachineServiceDefinition, 'os:admin').kubeconfig({})), {
    code: 12,
    details: 'kubeconfig is only available on control plane nodes',
  });
});

test('a control plane without Kubernetes issues no kubeconfig', async () => {
  const options = { withoutKubernetes: true };
  const endpoint = 'https://10.5.0.1:6443';
  const plain = generateConfig({ secrets, type: 'controlplane', clusterName: 'contract', endpoint, options });
  await using bare = await startNode({ configuration: { text: plain } });
  const refusal = async () => {
    const call = collect(bare.client(MachineServiceDefinition, 'os:admin').kubeconfig({}));
    return call.then(() => 'a kubeconfig').catch((error) => `${error.code} ${error.details}`);
  };
  // Until the node has read its configuration it is no control plane.
  await eventually(async () => !(await refusal()).startsWith('12'), { what: 'the configuration' });
  assert.equal(await refusal(), '9 k8s API server CA config is not set');
});

test('the log says which certificate was issued, and holds no key', async () => {
  const config = parseKubeconfig(await readKubeconfig({ machine } as never, signal), 'the answer');
  const user = config.users[0]?.user as Record<string, string>;
  const { fingerprint256 } = new X509Certificate(text(user['client-certificate-data']));
  const log = await node.log('machined');
  const line = log.split('\n').find((each) => each.includes(fingerprint256));
  const { method, issued } = JSON.parse(line ?? '{}');
  assert.deepEqual(
    [method, issued],
    [
      '/machine.MachineService/Kubeconfig',
      {
        commonName: 'admin',
        organizations: ['system:masters'],
        lifetimeHours: 8760,
        fingerprint: fingerprint256,
      },
    ],
  );
  const key = text(user['client-key-data']).split('\n')[1] ?? '';
  assert.ok(key.length > 20);
  assert.ok(!log.includes(key) && !log.includes(user['client-key-data'] ?? '-'));
});

test('the secrets of Kubernetes can be read by administrators alone', async () => {
  const read = (role: string, namespace: string, type: string) =>
    node.client(StateDefinition, role).list({ namespace, type });
  const all = async (stream: AsyncIterable<unknown>) => {
    let count = 0;
    for await (const _ of stream) count += 1;
    return count;
  };
  for (const [namespace, type] of [
    ['secrets', 'KubernetesRootSecrets.secrets.talos.dev'],
    ['secrets', 'KubernetesSecrets.secrets.talos.dev'],
    ['secrets', 'KubernetesDynamicCerts.secrets.talos.dev'],
    ['k8s', 'EtcdEncryptionConfigs.kubernetes.talos.dev'],
    ['controlplane', 'APIServerConfigs.kubernetes.talos.dev'],
    ['controlplane', 'AuditPolicyConfigs.kubernetes.talos.dev'],
  ] as const) {
    await assert.rejects(all(read('os:reader', namespace, type)), { code: 7 }, type);
    await assert.rejects(all(read('os:operator', namespace, type)), { code: 7 }, type);
  }
  assert.equal(await all(read('os:admin', 'secrets', 'KubernetesRootSecrets.secrets.talos.dev')), 1);
  assert.equal(await all(read('os:reader', 'controlplane', 'SchedulerConfigs.kubernetes.talos.dev')), 2);
});
