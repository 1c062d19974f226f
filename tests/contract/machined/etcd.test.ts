// The etcd calls of a node with a real etcd: before it is bootstrapped, as a cluster of one, and after a
// disaster.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { type EtcdClient, openEtcdClient } from '@nodewright/etcd';
import { findEtcd, skipWithoutEtcd } from '@nodewright/etcd/testing';
import { createSntpServer } from '@nodewright/sntp';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import {
  type NodeUnderTest,
  type NodeUnderTestInit,
  ownAddress,
  startNode,
} from './harness/node-under-test.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const code = { unknown: 2, invalidArgument: 3, notFound: 5, failedPrecondition: 9, unavailable: 14 } as const;

const secrets = await clusterSecrets();
const times = scope.use(await createSntpServer({ address: '127.0.0.1', port: 0 }));

async function startControlPlane(init: Partial<NodeUnderTestInit> = {}): Promise<NodeUnderTest> {
  const programs = findEtcd() ?? assert.fail('no etcd');
  return scope.use(
    await startNode({
      secrets,
      timeServer: `127.0.0.1:${times.port}`,
      args: ['--etcd-binary', programs.etcd, '--etcdutl-binary', programs.etcdutl],
      ...init,
    }),
  );
}

const machine = (node: NodeUnderTest) => node.client(MachineServiceDefinition, 'os:admin');
const isUp = (node: NodeUnderTest) => node.serviceSays('etcd', /Health check successful/, 60_000);

/** A client of etcd itself, with the credentials that the node has written for its administrator. */
async function etcdOf({ root, address }: NodeUnderTest): Promise<EtcdClient> {
  const read = (file: string) => readFile(join(root, 'system', 'secrets', 'etcd', file), 'utf8');
  const tls = { ca: await read('ca.crt'), cert: await read('admin.crt'), key: await read('admin.key') };
  return scope.use(openEtcdClient({ endpoints: [`${address}:2379`], tls, telemetry: noTelemetry }));
}

async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 4096) yield { bytes: bytes.subarray(at, at + 4096) };
}

const node = skip ? undefined : await startControlPlane();
const admin = () => machine(node ?? assert.fail('no etcd'));
let snapshot = Buffer.alloc(0);

test('before Bootstrap there is no member to list and no snapshot to take', { skip }, async () => {
  await node?.serviceSays('etcd', /./, 30_000);
  for (const call of ['etcdStatus', 'etcdAlarmList', 'etcdDefragment'] as const)
    await assert.rejects(admin()[call]({}), (error: { code: number; details: string }) => {
      assert.ok(error.code === code.unavailable || error.code === code.failedPrecondition, error.details);
      return true;
    });
});

test('a cluster of one has its member in both lists, as leader and with every requested field', {
  skip,
}, async () => {
  await admin().bootstrap({});
  await isUp(node ?? assert.fail());
  const local = await admin().etcdMemberList({ queryLocal: true });
  assert.deepEqual(await admin().etcdMemberList({}), local);
  const [{ members = [], legacyMembers = [] } = {}] = local.messages;
  const [{ id = 0n } = {}] = members;
  const { address } = node ?? assert.fail();
  assert.deepEqual(
    [members, legacyMembers],
    [
      [
        {
          id,
          hostname: 'node01',
          peerUrls: [`https://${address}:2380`],
          clientUrls: [`https://${address}:2379`],
          isLearner: false,
        },
      ],
      ['node01'],
    ],
  );
  const { messages } = await admin().etcdStatus({});
  const status = messages[0]?.memberStatus ?? assert.fail();
  assert.deepEqual([status.memberId, status.leader, status.isLearner, status.errors], [id, id, false, []]);
  const [, minor] = /^3\.(\d+)\.\d+$/.exec(status.protocolVersion) ?? [];
  assert.equal(status.storageVersion, `3.${minor}.0`);
  assert.ok(status.dbSize >= status.dbSizeInUse && status.dbSizeInUse > 0n);
  assert.ok(status.raftIndex >= status.raftAppliedIndex && status.raftTerm > 0n);
});

test('the maintenance calls succeed on a healthy member and have nothing to do', { skip }, async () => {
  assert.deepEqual((await admin().etcdAlarmList({})).messages, [{ metadata: undefined, memberAlarms: [] }]);
  assert.deepEqual((await admin().etcdAlarmDisarm({})).messages, [{ metadata: undefined, memberAlarms: [] }]);
  assert.deepEqual((await admin().etcdDefragment({})).messages, [{ metadata: undefined }]);
});

test('the last voter can neither leave nor be removed, and has no member to transfer leadership to', {
  skip,
}, async () => {
  const { messages } = await admin().etcdMemberList({ queryLocal: true });
  const memberId = messages[0]?.members[0]?.id ?? assert.fail();
  const last = {
    code: code.failedPrecondition,
    details: 'removing node01 would leave no voter: it is the last one of the cluster',
  };
  await assert.rejects(admin().etcdLeaveCluster({}), last);
  await assert.rejects(admin().etcdRemoveMemberByID({ memberId }), last);
  await assert.rejects(admin().etcdRemoveMemberByID({ memberId: 1n }), {
    code: code.notFound,
    details: 'no member of etcd has the id 0000000000000001',
  });
  await assert.rejects(admin().etcdForfeitLeadership({}), {
    code: code.unknown,
    details: 'cannot transfer the leadership of etcd: this is the only member',
  });
  assert.equal((await node?.service('etcd'))?.state, 'Running');
});

test('a downgrade to another version than the previous one is refused with the reason', {
  skip,
}, async () => {
  const rows = [
    ['', 'version is required for etcd downgrade'],
    ['3', 'version should be in MAJOR.MINOR format'],
    ['x.5', 'major version should be a number'],
    ['3.y', 'minor version should be a number'],
    ['3.4', 'etcd downgrade is only supported to 3.5 and later versions'],
  ] as const;
  for (const [version, details] of rows)
    for (const call of ['etcdDowngradeValidate', 'etcdDowngradeEnable'] as const)
      await assert.rejects(admin()[call]({ version }), { code: code.invalidArgument, details });
  // etcd itself decides about these.
  const { own } = await downgradeVersions();
  for (const version of ['3.5', own])
    for (const call of ['etcdDowngradeValidate', 'etcdDowngradeEnable'] as const)
      await assert.rejects(admin()[call]({ version }), {
        code: code.invalidArgument,
        details: /invalid downgrade target version/,
      });
});

test('a downgrade to the previous version is enabled once, changes the storage, and can be cancelled', {
  skip,
}, async () => {
  const { own, previous } = await downgradeVersions();
  const answer = (clusterVersion: string) => [{ metadata: undefined, clusterDowngrade: { clusterVersion } }];
  const storageIs = (version: string) =>
    eventually(
      async () => (await admin().etcdStatus({})).messages[0]?.memberStatus?.storageVersion === version,
      { what: `storage of version ${version}`, timeoutMs: 30_000 },
    );
  const to = { version: previous };
  assert.deepEqual((await admin().etcdDowngradeValidate(to)).messages, answer(own));
  assert.deepEqual((await admin().etcdDowngradeEnable(to)).messages, answer(own));
  await storageIs(`${previous}.0`);
  await assert.rejects(admin().etcdDowngradeEnable(to), { code: code.invalidArgument });
  assert.deepEqual((await admin().etcdDowngradeCancel({})).messages, answer(previous));
  await storageIs(`${own}.0`);
  // Nothing is in progress any more, and etcd does not call that a failure.
  assert.deepEqual((await admin().etcdDowngradeCancel({})).messages, answer(own));
});

/** The minor version of the running etcd and the one before it. */
async function downgradeVersions(): Promise<{ readonly own: string; readonly previous: string }> {
  const { messages } = await admin().etcdStatus({});
  const [, major, minor] =
    /^(\d+)\.(\d+)\./.exec(messages[0]?.memberStatus?.protocolVersion ?? '') ?? assert.fail('no version');
  return { own: `${major}.${minor}`, previous: `${major}.${Number(minor) - 1}` };
}

test('a snapshot comes in small pieces and ends with its hash', { skip }, async () => {
  const etcd = await etcdOf(node ?? assert.fail());
  for (let index = 0; index < 20; index++) await etcd.put(`kept/${index}`, Buffer.alloc(2000, index));
  const sizes: number[] = [];
  const all: Buffer[] = [];
  for await (const { bytes } of admin().etcdSnapshot({})) {
    sizes.push(bytes.length);
    all.push(bytes);
  }
  snapshot = Buffer.concat(all);
  assert.ok(Math.max(...sizes) <= 1024);
  assert.equal(snapshot.length % 512, 32);
  const hash = createHash('sha256').update(snapshot.subarray(0, -32)).digest();
  assert.deepEqual(snapshot.subarray(-32), hash);
});

test('another node becomes the cluster again from the snapshot', { skip }, async () => {
  const next = await startControlPlane();
  // The node waits for a cluster that it could join.
  const library = join(next.root, 'var', 'lib');
  await eventually(() => existsSync(join(library, 'etcd')), { what: 'folder of etcd', timeoutMs: 30_000 });
  const path = join(library, 'etcd.snapshot');
  await assert.rejects(machine(next).etcdRecover(pieces(Buffer.alloc(0))), {
    code: code.invalidArgument,
    details: 'the snapshot of etcd is empty',
  });
  await machine(next).etcdRecover(pieces(snapshot));
  assert.equal((await readFile(path)).equals(snapshot), true);
  await machine(next).bootstrap({ recoverEtcd: true });
  await isUp(next);
  const { keyValues } = await (await etcdOf(next)).list('kept/');
  assert.equal(keyValues.length, 20);
  const { messages } = await machine(next).etcdMemberList({});
  assert.deepEqual(
    messages[0]?.members.map(({ peerUrls }) => peerUrls),
    [[`https://${next.address}:2380`]],
  );
  assert.equal(existsSync(path), false);
});

test('a node with the data of another etcd does not start etcd, says why, and changes nothing', {
  skip,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'other-etcd-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const [state, library] = [join(folder, 'root', 'system', 'state'), join(folder, 'root', 'var', 'lib')];
  const database = join(library, 'etcd', 'member', 'snap', 'db');
  const address = ownAddress();
  const timeServer = `127.0.0.1:${times.port}`;
  for (const path of [state, dirname(database), join(library, 'etcd', 'member', 'wal')])
    await mkdir(path, { recursive: true });
  const config = nodeConfig({ secrets, type: 'controlplane', timeServer, controlPlaneAddress: address });
  await writeFile(join(state, 'config.yaml'), config, { mode: 0o600 });
  await writeFile(database, 'data of another etcd');
  await writeFile(join(library, 'etcd.version'), '3.5\n');
  const other = await startControlPlane({ folder, address });
  const reason =
    /etcd 3\.\d+ cannot start: its data were written by etcd 3\.5; nothing was changed; to go on, /;
  const { state: reached } = await other.serviceSays('etcd', reason, 30_000);
  assert.equal(reached, 'Failed');
  for (const call of ['etcdStatus', 'etcdAlarmList', 'etcdDefragment'] as const)
    await assert.rejects(machine(other)[call]({}), { code: code.failedPrecondition, details: reason });
  await assert.rejects(machine(other).bootstrap({}), { details: /data directory is not empty/ });
  assert.equal(await readFile(database, 'utf8'), 'data of another etcd');
  assert.deepEqual((await readdir(join(library, 'etcd', 'member'))).sort(), ['snap', 'wal']);
});

test('a node that cannot run etcd reports the reason', async () => {
  await using bare = await startNode({ secrets });
  await assert.rejects(machine(bare).etcdLeaveCluster({}), {
    code: code.failedPrecondition,
    details: 'this node was started without etcd: there is nothing to leave',
  });
});
