import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertConfigurationText, loadConfiguration } from '@nodewright/machine-config';
import { controlPlaneText } from '../testing/rendered-pods.ts';
import { diffByMeaning, formatMeaning } from './diff-by-meaning.ts';

const base = await controlPlaneText({ minor: 13 });
const withPatch = async (patch: string) =>
  diffByMeaning(
    loadConfiguration(base),
    loadConfiguration(await controlPlaneText({ minor: 13, patches: [patch] })),
  );

test('diffByMeaning() says what restarts, and when each change acts', async () => {
  const rows: readonly [patch: string, name: string, when: string, restarts: readonly string[]][] = [
    ['machine: { sysctls: { a.b: "1" } }', 'sysctls.a.b', 'at-once', []],
    [
      'machine: { kubelet: { extraConfig: { maxPods: 9 } } }',
      'kubelet.config.maxPods',
      'restart',
      ['kubelet'],
    ],
    ['cluster: { apiServer: { certSANs: [a.test] } }', 'cluster.apiServerSANs[0]', 'at-once', []],
    [
      'cluster: { scheduler: { extraArgs: { v: "4" } } }',
      'controlPlane.scheduler.extraArgs.v',
      'restart',
      ['kube-scheduler'],
    ],
    ['machine: { install: { wipe: true } }', 'install.wipe', 'next-upgrade', []],
    ['machine: { env: { A: b } }', 'environment.A', 'next-start', []],
    [
      'machine: { files: [{ path: /var/a, content: a, permissions: 0o644, op: create }] }',
      'v1alpha1.machine.files',
      'next-boot',
      [],
    ],
  ];
  for (const [patch, name, when, restarts] of rows) {
    const found = await withPatch(patch);
    const change = found.changes.find((each) => each.name === name);
    assert.deepEqual(
      [change?.effect.when, found.restarts, found.needsBoot],
      [when, restarts, when === 'next-boot'],
      `${patch}: ${found.changes.map((each) => each.name).join(' ')}`,
    );
  }
});

test('diffByMeaning() names the one component that reads a file which is different', async () => {
  const policy = '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: None }] }';
  for (const [patch, reader] of [
    [`apiServer: { auditPolicy: ${policy} }`, 'kube-apiserver'],
    ['scheduler: { config: { profiles: [{ schedulerName: a }] } }', 'kube-scheduler'],
  ] as const) {
    const { changes, restarts } = await withPatch(`cluster: { ${patch} }`);
    const file = changes.find(({ of, name }) => of === 'file' && name.endsWith('.yaml'));
    assert.deepEqual([file?.effect.services, restarts], [[reader], [reader]], patch);
  }
});

test('diffByMeaning() names no component of the control plane for a worker', () => {
  const worker = (cluster: string) =>
    loadConfiguration(
      `version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://a.test:6443" }, ${cluster} }\n`,
    );
  const pem = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
  for (const [cluster, restarts] of [
    [`acceptedCAs: [{ crt: ${pem} }]`, ['kubelet']],
    ['token: a.b', ['kubelet']],
    ['secretboxEncryptionSecret: a', []],
  ] as const) {
    const found = diffByMeaning(worker(''), worker(cluster));
    assert.ok(found.changes.length > 0, cluster);
    assert.deepEqual(found.restarts, restarts, cluster);
  }
});

test('diffByMeaning() finds no difference in order, comments and style', () => {
  const text = `# a comment\n${base.replace('version: v1alpha1', '"version": v1alpha1 # text')}`;
  const found = diffByMeaning(loadConfiguration(base), loadConfiguration(text));
  const [first, ...others] = formatMeaning(found);
  assert.deepEqual([found.changes, first], [[], 'no difference']);
  assert.ok(others.every((line) => line.startsWith('not proven: ')));
});

test('formatMeaning() says what is not proven, also when nothing changed', async () => {
  const disks = 'machine: { disks: [{ device: /dev/sdb }] }';
  const text = await controlPlaneText({ minor: 13, patches: [disks] });
  const same = diffByMeaning(loadConfiguration(text), loadConfiguration(text));
  for (const found of [same, await withPatch(disks)]) {
    const lines = formatMeaning(found).filter((line) => line.startsWith('not proven: '));
    assert.equal(lines.length, found.unproven.length);
    assert.ok(lines.some((line) => line.includes('command line of etcd')));
    assert.ok(
      lines.some((line) => /^not proven: line \d+, column \d+: machine\.disks: no setting/.test(line)),
      lines.join('\n'),
    );
  }
});

test('formatMeaning() has no value of a configuration', async () => {
  const found = await withPatch('machine: { token: secret-token, sysctls: { a.b: secret-value } }');
  const lines = formatMeaning(found);
  assert.ok(lines.some((line) => line.startsWith('~ setting token')));
  assert.doesNotMatch(`${lines.join('\n')}${JSON.stringify(found)}`, /secret-(?:token|value)/);
});

test('diffByMeaning() names what two forms of one configuration make restart', () => {
  const { before, after } = convertConfigurationText(base);
  const { restarts } = diffByMeaning(before, after);
  assert.deepEqual(restarts, ['kube-apiserver', 'kube-controller-manager']);
});
