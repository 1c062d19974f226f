import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { generateCertificateAuthority, parseCertificate } from '@nodewright/pki';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  diagnostics,
  etcdConfigs,
  etcdMembers,
  etcdRootSecrets,
  etcdSecrets,
  etcdSpecs,
  hostnameStatuses,
  machineConfigs,
  networkStatuses,
  nodeAddresses,
  pkiStatuses,
  services,
  timeStatuses,
} from '@nodewright/state/kinds';
import type { EtcdSpace } from '../domain/etcd-space.ts';
import { createEtcdPkiFiles } from '../host/pki-files.ts';
import { etcdControllers } from './etcd-controllers.ts';

const ca = await generateCertificateAuthority({
  algorithm: 'ecdsa-p256',
  organization: 'etcd',
  notBefore: new Date(Date.now() - 3_600_000),
});
const base64 = (text: string) => Buffer.from(text).toString('base64');

function configText(type: string, etcd = `ca: { crt: ${base64(ca.certificate)}, key: ${base64(ca.key)} }`) {
  return `version: v1alpha1\nmachine: { type: ${type}, token: a.b }\ncluster: { etcd: { ${etcd} } }\n`;
}

async function openNode(own: readonly string[] | undefined = undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-pki-'));
  const updates: (readonly string[])[] = [];
  let space: EtcdSpace | undefined = { usedBytes: 0, inUseBytes: 0, quotaBytes: 0, errors: [] };
  const runtime = openTestRuntime({
    nowMs: Date.now(),
    controllers: [
      ...etcdControllers({
        own,
        actions: {
          pki: createEtcdPkiFiles(join(folder, 'etcd'), undefined),
          askMemberId: async () => 'a1',
          askSpace: async () => {
            if (space === undefined) throw new Fault('unavailable', 'etcd does not answer');
            return space;
          },
          updatePeerUrls: async (peerUrls) => {
            updates.push(peerUrls);
            return true;
          },
        },
      }),
    ],
  });
  const { state } = runtime;
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  const addresses = async (...list: string[]) => {
    for (const id of ['current-no-k8s', 'routed-no-k8s', 'accumulative-no-k8s'])
      await put(nodeAddresses, id, { addresses: list, sortAlgorithm: 'v1' });
  };
  return {
    runtime,
    updates,
    put,
    addresses,
    folder: join(folder, 'etcd'),
    space(next: EtcdSpace | undefined) {
      space = next;
    },
    configure: (text: string) => put(machineConfigs, 'v1alpha1', text),
    async spec<S>(kind: KindRef<S>, id: string) {
      return (await state.list(kind)).find(({ metadata }) => metadata.id === id)?.spec;
    },
    async surround() {
      await put(timeStatuses, 'node', { synced: true, epoch: 0, syncDisabled: false });
      await put(networkStatuses, 'status', {
        ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
      });
      await put(hostnameStatuses, 'hostname', { hostname: 'node01', domainname: 'example.org' });
      await addresses('10.0.0.5/24');
    },
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const facts = (pem: string) => {
  const { subject, dnsNames, ipAddresses, extendedKeyUsage, notBefore, notAfter } = parseCertificate(pem);
  const hours = (notAfter.getTime() - notBefore.getTime()) / 3_600_000;
  return { ...subject, dnsNames, ipAddresses, extendedKeyUsage, hours };
};

test('a control plane with an etcd CA publishes its spec and writes certificates that only its user can read', async () => {
  await using node = await openNode();
  await node.configure(configText('controlplane'));
  await node.surround();
  const both = ['serverAuth', 'clientAuth'];
  const member = { commonName: 'node01', organizations: [], extendedKeyUsage: both, hours: 87_600.5 };
  const client = {
    organizations: [],
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
    hours: 87_600.5,
  };
  const made = await node.spec(etcdSecrets, 'etcd');
  assert.deepEqual(
    [made?.etcd, made?.etcdPeer, made?.etcdAdmin, made?.etcdAPIServer].map((pair) => facts(pair?.crt ?? '')),
    [
      {
        ...member,
        dnsNames: ['localhost', 'node01', 'node01.example.org'],
        ipAddresses: ['10.0.0.5', '127.0.0.1', '::1'],
      },
      {
        ...member,
        dnsNames: ['node01', 'node01.example.org'],
        ipAddresses: ['10.0.0.5'],
      },
      { ...client, commonName: 'talos' },
      { ...client, commonName: 'kube-apiserver' },
    ],
  );
  const authority = new X509Certificate(ca.certificate);
  assert.ok(new X509Certificate(made?.etcd?.crt ?? '').verify(authority.publicKey));
  const files = (await readdir(node.folder)).sort();
  assert.deepEqual(files, [
    'admin.crt',
    'admin.key',
    'ca.crt',
    'ca.key',
    'peer.crt',
    'peer.key',
    'server.crt',
    'server.key',
  ]);
  const modes = await Promise.all(
    files.map(async (name) => (await stat(join(node.folder, name))).mode & 0o777),
  );
  assert.deepEqual([...new Set(modes), (await stat(node.folder)).mode & 0o777], [0o400, 0o700]);
  assert.equal(await readFile(join(node.folder, 'server.crt'), 'utf8'), made?.etcd?.crt);
  assert.deepEqual(await node.spec(pkiStatuses, 'etcd'), { ready: true, version: '1' });
  assert.deepEqual(await node.spec(etcdSpecs, 'etcd'), {
    name: 'node01',
    advertisedAddresses: ['10.0.0.5'],
    listenPeerAddresses: ['0.0.0.0'],
    listenClientAddresses: ['0.0.0.0'],
    image: 'registry.k8s.io/etcd:v3.7.1',
    extraArgs: {},
  });
});

test('the peer certificate of a node that shares its host includes the loopback address', async () => {
  await using node = await openNode(['10.0.0.5']);
  await node.configure(configText('controlplane'));
  await node.surround();
  const peer = await readFile(join(node.folder, 'peer.crt'), 'utf8');
  assert.deepEqual(facts(peer).ipAddresses, ['10.0.0.5', '127.0.0.1']);
});

test('the etcd certificates are reissued when the addresses of the node change or its clock was set, and for no other change', async () => {
  await using node = await openNode();
  await node.configure(configText('controlplane'));
  await node.surround();
  const versions: (string | undefined)[] = [];
  const look = async () => versions.push((await node.spec(pkiStatuses, 'etcd'))?.version);
  await look();
  await node.put(timeStatuses, 'node', { synced: false, epoch: 0, syncDisabled: false });
  await node.put(timeStatuses, 'node', { synced: true, epoch: 0, syncDisabled: false });
  await look();
  await node.addresses('10.0.0.5/24', '10.0.0.6/24');
  await look();
  // What was issued by a wrong clock may begin in the future of other members.
  await node.put(timeStatuses, 'node', { synced: true, epoch: 1, syncDisabled: false });
  await look();
  const onDisk = facts(await readFile(join(node.folder, 'peer.crt'), 'utf8'));
  assert.deepEqual(
    [versions, onDisk.ipAddresses],
    [
      ['1', '1', '2', '3'],
      ['10.0.0.5', '10.0.0.6'],
    ],
  );
});

test('a worker, a node without an etcd CA and a former control plane have no etcd resources', async () => {
  await using node = await openNode();
  await node.surround();
  const kinds = [etcdConfigs, etcdSpecs, etcdRootSecrets, etcdSecrets, pkiStatuses] as const;
  const count = async () => {
    const lists = await Promise.all(kinds.map((kind) => node.runtime.state.list(kind as KindRef<unknown>)));
    return lists.flat().length;
  };
  const counts = [];
  for (const text of [
    configText('worker'),
    configText('controlplane', 'image: x'),
    configText('controlplane'),
    configText('worker'),
  ]) {
    await node.configure(text);
    counts.push(await count());
  }
  assert.deepEqual(counts, [0, 0, kinds.length, 0]);
});

test('etcd of a process node listens only on its own addresses, and has no spec while none matches the subnets', async () => {
  await using node = await openNode(['127.4.5.2']);
  const withSubnets = (subnets: string) =>
    configText(
      'controlplane',
      `ca: { crt: ${base64(ca.certificate)}, key: ${base64(ca.key)} }, advertisedSubnets: [${subnets}]`,
    );
  await node.configure(withSubnets('172.16.0.0/12'));
  await node.surround();
  await node.addresses('127.4.5.2/32');
  assert.equal(await node.spec(etcdSpecs, 'etcd'), undefined);
  await node.configure(withSubnets('127.0.0.0/8'));
  const spec = await node.spec(etcdSpecs, 'etcd');
  const all = [spec?.advertisedAddresses, spec?.listenPeerAddresses, spec?.listenClientAddresses];
  assert.deepEqual(all, [['127.4.5.2'], ['127.4.5.2'], ['127.4.5.2']]);
});

test('the member id is published while etcd runs and removed before its service', async () => {
  await using node = await openNode();
  const member = () => node.spec(etcdMembers, 'local');
  const seen = [await member()];
  await node.put(services, 'etcd', { running: true, healthy: false, unknown: true });
  seen.push(await member());
  const pointer = pointerTo(services, 'etcd');
  await node.runtime.state.teardown(pointer, { owner: '' });
  await node.runtime.settled();
  seen.push(await member());
  await node.runtime.state.destroy(pointer);
  assert.deepEqual(seen, [undefined, { memberID: 'a1' }, undefined]);
});

test('the peer URLs are updated once for each address change, and only when etcd is healthy', async () => {
  await using node = await openNode();
  await node.configure(configText('controlplane'));
  await node.surround();
  const seen = [node.updates.length];
  for (const healthy of [false, true, true]) {
    await node.put(services, 'etcd', { running: true, healthy, unknown: false });
    seen.push(node.updates.length);
  }
  await node.addresses('10.0.0.7/24');
  assert.deepEqual(
    [seen, node.updates],
    [
      [0, 0, 1, 1],
      [['https://10.0.0.5:2380'], ['https://10.0.0.7:2380']],
    ],
  );
});

test('alarms of etcd and a database at 80 % of its quota are diagnostics while etcd runs', async () => {
  await using node = await openNode();
  await node.configure(configText('controlplane'));
  await node.surround();
  const mib = 1024 ** 2;
  const space = { usedBytes: 100 * mib, inUseBytes: 50 * mib, quotaBytes: 2048 * mib, errors: [] };
  const found = async () =>
    (await node.runtime.state.list(diagnostics)).map(
      ({ metadata, spec }) => `${metadata.id}: ${spec.message}`,
    );
  node.space({ ...space, errors: ['memberID:10276657743932975437 alarm:NOSPACE '] });
  assert.deepEqual(await found(), [], 'etcd does not run');
  await node.put(services, 'etcd', { running: true, healthy: true, unknown: false });
  assert.deepEqual(await found(), ['etcd-alarm-nospace: etcd has the alarm NOSPACE']);
  const [alarm] = await node.runtime.state.list(diagnostics);
  assert.match(
    alarm?.spec.details[0] ?? '',
    /^writes and leases are refused .* \(member 8e9e05c52164694d\)$/,
  );

  // An id of its own: problems are logged once for each id.
  node.space({ ...space, errors: ['memberID:1 alarm:NOSPACE ', 'memberID:2 alarm:CORRUPT '] });
  await node.runtime.advance(60_000);
  assert.deepEqual(await found(), [
    'etcd-alarm-corrupt: etcd has the alarm CORRUPT',
    'etcd-alarm-nospace: etcd has the alarm NOSPACE',
  ]);

  node.space({ ...space, usedBytes: 1639 * mib });
  await node.runtime.advance(60_000);
  assert.deepEqual(await found(), ['etcd-quota: the database of etcd has 80 % of its quota of 2048 MiB']);
  // What was seen last stays while etcd does not answer.
  node.space(undefined);
  await node.runtime.advance(60_000);
  assert.equal((await found()).length, 1);

  // Earlier releases do not report the quota: that of the configuration counts, or that of etcd.
  for (const [extraArgs, usedMib, isFull] of [
    ['', 1638, false],
    ['', 1639, true],
    [', extraArgs: { quota-backend-bytes: "1073741824" }', 820, true],
    [', extraArgs: { quota-backend-bytes: "-1" }', 5000, false],
  ] as const) {
    node.space({ ...space, quotaBytes: 0, usedBytes: usedMib * mib });
    const pair = `ca: { crt: ${base64(ca.certificate)}, key: ${base64(ca.key)} }`;
    await node.configure(configText('controlplane', pair + extraArgs));
    await node.runtime.advance(60_000);
    assert.equal((await found()).length, isFull ? 1 : 0, `${extraArgs} ${usedMib}`);
  }
});
