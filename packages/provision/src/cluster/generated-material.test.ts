import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import { decodeSecrets, effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { parseCertificate } from '@nodewright/pki';
import { planNodes } from '../domain/cluster-shape.ts';
import { checkPatches, generateClusterMaterial } from './generated-material.ts';

const subnet = { first: 127, second: 44, third: 5 };
const [controlPlane, worker] = planNodes({ controlPlanes: 1, workers: 1 }, subnet);
const way = { timeServer: '127.44.5.1:50123', certSans: ['127.0.0.1'] };
const noPatches = { all: [], controlPlanes: [], workers: [] };
const now = () => new Date('2026-08-14T12:00:00Z');

test('generateClusterMaterial() gives each node its own configuration with the secrets of the cluster', async () => {
  assert.ok(controlPlane !== undefined && worker !== undefined);
  const material = await generateClusterMaterial(now);
  const secrets = decodeSecrets(material.secrets);
  const common = { clusterName: 'c', endpoint: 'https://127.44.5.2:6443', ...way, patches: noPatches };
  const configs = [controlPlane, worker].map((node) => material.nodeConfig({ ...common, node }));
  const shared = {
    token: secrets.trustd.token,
    acceptedCAs: [],
    certSANs: ['127.0.0.1'],
    clusterName: 'c',
    clusterEndpoint: 'https://127.44.5.2:6443',
    timeServers: ['127.44.5.1:50123'],
  };
  const facts = configs.map((text) => {
    const { machineType, token, issuingCA, acceptedCAs, certSANs, cluster, time } = effectiveConfig(
      loadConfiguration(text),
    );
    const { name: clusterName, endpoint: clusterEndpoint } = cluster;
    const timeServers = time.servers;
    return {
      machineType,
      token,
      issuingCA,
      acceptedCAs,
      certSANs,
      clusterName,
      clusterEndpoint,
      timeServers,
    };
  });
  assert.deepEqual(facts, [
    { ...shared, machineType: 'controlplane', issuingCA: secrets.certs.os },
    { ...shared, machineType: 'worker', issuingCA: { certificate: secrets.certs.os.certificate } },
  ]);
  assert.ok(/kind: HostnameConfig\nauto: "off"\nhostname: node02\n/.test(configs[1] ?? ''));
  assert.equal(configs[1]?.includes(Buffer.from(secrets.certs.os.key).toString('base64')), false);
  const kubernetes = configs.map((config) => config.match(/^kind: Kube\w+$/gm));
  assert.deepEqual(kubernetes, [['kind: KubeClusterConfig'], ['kind: KubeClusterConfig']]);
  const etcd = configs.map((config) => effectiveConfig(loadConfiguration(config)).etcd.ca);
  assert.deepEqual(etcd, [secrets.certs.etcd, undefined]);
  assert.equal(
    configs.some((config) => /discovery\.talos\.dev|UnattendedInstallConfig/.test(config)),
    false,
  );
});

test("generateClusterMaterial() issues an administrator's certificate for the cluster", async () => {
  const material = await generateClusterMaterial(now);
  const config = parseTalosconfig(await material.talosconfig('c', ['127.44.5.2', '127.44.5.3']));
  const context = config.contexts.get('c');
  const { subject, notAfter } = parseCertificate(Buffer.from(context?.crt ?? '', 'base64').toString());
  assert.deepEqual(
    [config.context, context?.endpoints, context?.nodes, subject.organizations, notAfter.toISOString()],
    ['c', ['127.44.5.2', '127.44.5.3'], [], ['os:admin'], '2027-08-14T12:00:00.000Z'],
  );
});

test("generateClusterMaterial() applies the patches for all nodes, then those for the node's type", async () => {
  assert.ok(controlPlane !== undefined && worker !== undefined);
  const material = await generateClusterMaterial(now);
  const san = (name: string) => ({ source: name, text: `machine: { certSANs: [${name}] }` });
  const patches = { all: [san('all')], controlPlanes: [san('king')], workers: [san('bee')] };
  const sansOf = (node: typeof worker) =>
    effectiveConfig(
      loadConfiguration(
        material.nodeConfig({ clusterName: 'c', endpoint: 'https://127.44.5.2:6443', ...way, patches, node }),
      ),
    ).certSANs;
  assert.deepEqual(
    [sansOf(controlPlane), sansOf(worker)],
    [
      ['127.0.0.1', 'all', 'king'],
      ['127.0.0.1', 'all', 'bee'],
    ],
  );
});

test('checkPatches() names an invalid patch', () => {
  assert.throws(
    () => checkPatches({ ...noPatches, workers: [{ source: 'w.yaml', text: 'machine: { nonsense: 1 }' }] }),
    (error) =>
      error instanceof Fault &&
      error.kind === 'invalid-argument' &&
      /^config patch w\.yaml: /.test(error.message),
  );
});
