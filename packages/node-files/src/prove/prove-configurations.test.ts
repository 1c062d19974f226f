import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertConfigurationText, loadConfiguration } from '@nodewright/machine-config';
import { controlPlaneText } from '../testing/rendered-pods.ts';
import { comparable, flagsByName } from './comparable.ts';
import { formatProof } from './format-proof.ts';
import { isProven } from './proof.ts';
import { proveConfigurations } from './prove-configurations.ts';

const patched = (...patches: string[]) => controlPlaneText({ minor: 13, patches });

test('proveConfigurations() lists a key that nothing reads as not proven, with its position', async () => {
  const { before, after, notes } = convertConfigurationText(
    await patched('machine: { disks: [{ device: /dev/sdb }], logging: { destinations: [] } }'),
  );
  const { unproven } = proveConfigurations(before, after, notes);
  const disks = unproven.find(({ name }) => name === 'machine.disks');
  assert.match(disks?.position ?? '', /^line \d+, column \d+$/);
  assert.ok(unproven.some(({ name }) => name === 'command line of etcd'));
  assert.equal(
    unproven.some(({ name }) => name.startsWith('machine.kubelet.image')),
    false,
  );
});

test('proveConfigurations() does not take a key that nothing reads for equal when it is lost', async () => {
  const before = loadConfiguration(await patched('machine: { disks: [{ device: /dev/sdb }] }'));
  const proof = proveConfigurations(before, loadConfiguration(await patched()));
  assert.deepEqual(
    proof.differences.map(({ name, kind, cause }) => [name, kind, cause]),
    [['v1alpha1.machine.disks', 'removed', 'unnamed']],
  );
});

test('proveConfigurations() names a file that a node would refuse to make', async () => {
  const before = loadConfiguration(await patched());
  const after = loadConfiguration(await patched('cluster: { scheduler: { extraArgs: { config: /a } } }'));
  const proof = proveConfigurations(before, after);
  assert.ok(
    formatProof(proof).some((line) =>
      /static pod kube-scheduler .*refuses to make it: .*"config"/.test(line),
    ),
  );
  assert.equal(isProven(proof), false);
});

test('proveConfigurations() says of files that a node refuses to make of both configurations that they are not proven', async () => {
  const kubelet = (maxPods: number) =>
    patched(`machine: { kubelet: { extraArgs: { config: /a }, extraConfig: { maxPods: ${maxPods} } } }`);
  const [before, after] = [loadConfiguration(await kubelet(5)), loadConfiguration(await kubelet(6))];
  for (const proof of [proveConfigurations(before, after), proveConfigurations(before, before)]) {
    const found = proof.unproven.filter(({ name }) => name === 'files of the kubelet');
    assert.equal(found.length, 1);
    assert.match(found[0]?.why ?? '', /^a node refuses to make it: .*"config"/);
  }
});

test('a proof has no value of a configuration', async () => {
  const secret = 'secret-value';
  const before = loadConfiguration(await patched());
  const after = loadConfiguration(
    await patched(
      `machine: { token: ${secret}, env: { A: ${secret} }, registries: { config: { r.test: { auth: { password: ${secret} } } } } }`,
      `cluster: { apiServer: { extraArgs: { v: ${secret} } }, extraManifestHeaders: { A: ${secret} }, extraManifests: ["https://m.test/${secret}"] }`,
      `machine: { disks: [{ device: ${secret} }], files: [{ path: /a, content: ${secret}, permissions: 0o600, op: create }] }`,
    ),
  );
  const proof = proveConfigurations(before, after);
  assert.ok(proof.differences.length > 8);
  assert.doesNotMatch(JSON.stringify(proof) + formatProof(proof).join('\n'), new RegExp(secret));
});

test('proveConfigurations() follows nodes of upstream, which add no authorizer beside the document', async () => {
  const { before, after, notes } = convertConfigurationText(await patched());
  const without = after.filter(({ kind }) => kind !== 'KubeAuthorizerConfig');
  const { differences } = proveConfigurations(before, without, notes);
  const file = differences.find(({ name }) => name.endsWith('/authorization-config.yaml'));
  assert.deepEqual([file?.cause, file?.rule !== undefined], ['unnamed', true]);
});

test('comparable() gives flags and named items of lists their names', () => {
  assert.deepEqual(
    comparable({
      command: ['/bin/a', '--b=1', '--c=x', '--c=y', '--d'],
      list: [{ name: 'n', v: [1] }, { name: 'm' }],
    }),
    {
      command: { '[0]': '/bin/a', '--b': '1', '--c': ['x', 'y'], '--d': '--d' },
      list: { n: { name: 'n', v: [1] }, m: { name: 'm' } },
    },
  );
  assert.deepEqual(comparable([{ name: 'n' }, { name: 'n' }]), [{ name: 'n' }, { name: 'n' }]);
});

test('flagsByName() takes a time that grows with the number of values of a flag, and not with its square', () => {
  const words = Array.from({ length: 60_000 }, (_, at) => `--v=${at}`);
  const started = process.cpuUsage();
  assert.equal(flagsByName(words)['--v']?.length, words.length);
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms of processor time`);
});

test('proveConfigurations() takes a bounded time for large configurations without anything in common', () => {
  const worker = (body: string) =>
    loadConfiguration(
      `version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://a.test:6443" } }\n---\n${body}`,
    );
  const entries = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) => `  ${prefix}.a${at}: "1"\n`).join('');
  const sysctls = (prefix: string) =>
    worker(`apiVersion: v1alpha1\nkind: SysctlConfig\nparams:\n${entries(prefix, 12_000)}`);
  const pods = (prefix: string) =>
    worker(
      Array.from(
        { length: 900 },
        (_, at) =>
          `apiVersion: v1alpha1\nkind: KubeStaticPodConfig\nname: ${prefix}${at}\npod: { metadata: { name: ${prefix}${at} } }\n`,
      ).join('---\n'),
    );
  const mirrors = (prefix: string) =>
    worker(
      Array.from(
        { length: 900 },
        (_, at) =>
          `apiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: ${prefix}${at}.test\nendpoints: [{ url: "https://m.test" }]\n`,
      ).join('---\n'),
    );
  for (const [make, least] of [
    [sysctls, 24_000],
    [pods, 1800],
    [mirrors, 1800],
  ] as const) {
    const started = process.cpuUsage();
    const { differences } = proveConfigurations(make('x'), make('y'));
    const { user } = process.cpuUsage(started);
    assert.ok(differences.length >= least, `${differences.length}`);
    assert.ok(user < 20_000_000, `${user / 1000} ms of processor time`);
  }
});

test('proveConfigurations() compares keys that nothing reads, also in sections of which other keys are settings', async () => {
  const mount = (ids: string) =>
    `machine: { kubelet: { extraMounts: [{ destination: /d, type: bind, source: /s, options: [bind], ${ids} }] } }`;
  const mapping = (id: number) => `[{ containerID: 0, hostID: ${id}, size: 1 }]`;
  const rows: readonly (readonly [before: string, after: string, names: readonly string[]])[] = [
    [
      mount(`uidMappings: ${mapping(1000)}, gidMappings: ${mapping(1000)}`),
      mount(`uidMappings: ${mapping(2000)}, gidMappings: ${mapping(2000)}`),
      ['uid', 'gid'].map((of) => `v1alpha1.machine.kubelet.extraMounts[0].${of}Mappings[0].hostID`),
    ],
    [
      'machine: { install: { diskSelector: { name: /dev/sda, model: m } } }',
      'machine: { install: { diskSelector: { name: /dev/sdb, model: m } } }',
      ['v1alpha1.machine.install.diskSelector.name'],
    ],
    [
      'machine: { install: { extensions: [{ image: a.test/a }], bootloader: false } }',
      'machine: { install: { bootloader: true } }',
      ['v1alpha1.machine.install.bootloader', 'v1alpha1.machine.install.extensions'],
    ],
  ];
  for (const [before, after, names] of rows) {
    const proof = proveConfigurations(
      loadConfiguration(await patched(before)),
      loadConfiguration(await patched(after)),
    );
    const found = proof.differences.map(({ name }) => name).toSorted();
    assert.deepEqual([found, isProven(proof)], [names.toSorted(), false], after);
  }
});

test('proveConfigurations() says of a key that nodes ignore that it is not compared, and of others only what is true', async () => {
  const before = loadConfiguration(
    await patched(
      'cluster: { apiServer: { disablePodSecurityPolicy: true }, allowSchedulingOnControlPlanes: true, allowSchedulingOnMasters: false }',
      'machine: { kubelet: { disableManifestsDirectory: true }, install: { disk: /dev/sda, diskSelector: { model: m } } }',
    ),
  );
  const after = loadConfiguration(
    await patched(
      'cluster: { apiServer: { disablePodSecurityPolicy: false }, allowSchedulingOnControlPlanes: true, allowSchedulingOnMasters: true }',
      'machine: { kubelet: { disableManifestsDirectory: false }, install: { disk: /dev/sdb, diskSelector: { model: m } } }',
    ),
  );
  const withDiscovery = (isOff: boolean) =>
    patched(`cluster: { discovery: { enabled: false, registries: { kubernetes: { disabled: ${isOff} } } } }`);
  const switchedOff = proveConfigurations(
    loadConfiguration(await withDiscovery(true)),
    loadConfiguration(await withDiscovery(false)),
  );
  assert.deepEqual(switchedOff.differences, []);
  const { differences, unproven } = proveConfigurations(before, after);
  const whyOf = (name: string) => unproven.find((each) => each.name === name)?.why;
  assert.deepEqual(
    [differences, whyOf('cluster.apiServer.disablePodSecurityPolicy'), whyOf('machine.install.disk')],
    [
      [],
      'not compared: Kubernetes has no such policy any more',
      'not compared: another key of the same setting wins over it',
    ],
  );
  assert.match(whyOf('machine.features.diskQuotaSupport') ?? '', /only compared as it is written$/);
});
