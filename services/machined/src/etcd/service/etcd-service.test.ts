import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { type EtcdRig, initialFlags, isEmpty, openEtcdRig } from './testing/etcd-rig.ts';

const plain = { recover: false, skipHashCheck: false };
const self = 'node01=https://10.0.0.5:2380';
const runsTimes = (rig: EtcdRig, times: number) =>
  eventually(() => rig.runs.length === times, {
    what: `run ${times} of etcd`,
    explain: () => rig.history().join('\n'),
  });
const reaches = (rig: EtcdRig, state: string) =>
  eventually(() => rig.state() === state, {
    what: `etcd that is ${state}`,
    explain: () => rig.history().join('\n'),
  });

const waiting = /^Preparing: Waiting to join etcd: \S/;

test('etcd without data reports what it waits for, and a stop during that wait is not a failure', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await eventually(() => rig.history().some((line) => waiting.test(line)), { what: 'the reason' });
  await rig.service.stop();
  assert.equal(rig.history().filter((line) => waiting.test(line)).length, 1);
  assert.deepEqual(
    rig.history().filter((line) => !waiting.test(line)),
    ['Starting: Starting service', 'Preparing: Running pre state', 'Finished: Service finished successfully'],
  );
  assert.equal(rig.runs.length, 0);
});

test('a stop does not wait for an image that is being pulled', async () => {
  await using rig = await openEtcdRig({ hasSlowImage: true });
  rig.others.add({});
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.stop();
  assert.deepEqual([rig.state(), rig.runs.length], ['Finished', 0]);
});

test('bootstrap() makes the node the first member of a new cluster, once', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.bootstrap(plain);
  await runsTimes(rig, 1);
  assert.deepEqual(initialFlags(rig.runs[0]), [`--initial-cluster=${self}`, '--initial-cluster-state=new']);
  const history = rig.history().filter((line) => !waiting.test(line));
  assert.deepEqual(history.slice(2, 4), ['Finished: Bootstrap requested', 'Starting: Starting service']);
  const refusal = new Fault('already-exists', 'etcd data directory is not empty');
  await assert.rejects(rig.service.bootstrap(plain), refusal);
  // From here on the data define the cluster.
  await rig.service.stop();
  rig.service.start();
  await runsTimes(rig, 2);
  assert.deepEqual(initialFlags(rig.runs[1]), []);
});

test('concurrent bootstrap calls create one cluster', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await reaches(rig, 'Preparing');
  const outcomes = await Promise.allSettled([rig.service.bootstrap(plain), rig.service.bootstrap(plain)]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await runsTimes(rig, 1);
});

test('etcd joins as a learner and is promoted when it has caught up', async () => {
  await using rig = await openEtcdRig();
  rig.others.add({});
  rig.others.notReady = 2;
  rig.service.start();
  await runsTimes(rig, 1);
  assert.deepEqual(initialFlags(rig.runs[0]), [
    `--initial-cluster=other1=https://10.0.1.1:2380,${self}`,
    '--initial-cluster-state=existing',
  ]);
  const votes = () =>
    rig.others.members.map(({ name, isLearner }) => `${name}${isLearner ? '?' : ''}`).join(' ');
  await eventually(() => votes() === 'other1 node01', { what: 'vote', explain: votes });
});

test('an earlier member of this node is removed before the node is added again', async () => {
  await using rig = await openEtcdRig();
  rig.others.add({});
  rig.others.add({ name: 'node01', peerUrls: ['https://10.0.0.5:2380'] });
  rig.service.start();
  await runsTimes(rig, 1);
  const [other, added] = rig.others.members;
  assert.deepEqual([rig.others.members.length, other?.name, added?.id === 2n], [2, 'other1', true]);
  assert.match(initialFlags(rig.runs[0])[0] ?? '', /,node01=https:\/\/10\.0\.0\.5:2380$/);
});

test('etcd that stopped before it joined gets the initial cluster flags again', async () => {
  await using rig = await openEtcdRig();
  await mkdir(join(rig.data, 'member/snap'), { recursive: true });
  await writeFile(join(rig.data, 'member/snap/db'), 'x');
  rig.others.add({});
  rig.service.start();
  await runsTimes(rig, 1);
  assert.match(initialFlags(rig.runs[0])[1] ?? '', /existing/);
});

test('what an interrupted removal of data has left is no data, and goes when etcd starts', async () => {
  await using rig = await openEtcdRig();
  await mkdir(join(rig.data, 'member.removed/snap'), { recursive: true });
  await writeFile(join(rig.data, 'member.removed/snap/db'), 'x');
  rig.others.add({});
  rig.service.start();
  await runsTimes(rig, 1);
  assert.match(initialFlags(rig.runs[0])[1] ?? '', /existing/);
  assert.equal(existsSync(join(rig.data, 'member.removed')), false);
});

test('etcd with a write-ahead log, or with a `wal-dir` elsewhere, starts from its data', async () => {
  const logs: [string, object][] = [
    ['member/snap', { 'wal-dir': { values: ['/elsewhere'] } }],
    ['member/wal', {}],
  ];
  for (const [log, extraArgs] of logs) {
    await using rig = await openEtcdRig({ extraArgs: { ...extraArgs } });
    await mkdir(join(rig.data, log), { recursive: true });
    await mkdir(join(rig.data, 'member/snap'), { recursive: true });
    await writeFile(join(rig.data, 'member/snap/db'), 'x');
    await writeFile(rig.versionFile, '3.6\n');
    rig.service.start();
    await runsTimes(rig, 1);
    assert.deepEqual(initialFlags(rig.runs[0]), []);
    assert.equal(await readFile(join(rig.data, 'member/snap/db'), 'utf8'), 'x');
    await assert.rejects(rig.service.bootstrap(plain), { kind: 'already-exists' });
  }
});

test('etcd restarts with the same arguments after a crash', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.bootstrap(plain);
  await runsTimes(rig, 1);
  rig.crash();
  await runsTimes(rig, 2);
  assert.deepEqual(rig.runs[1], rig.runs[0]);
  assert.ok(rig.history().includes('Waiting: Error running Etcd, going to restart forever: signal: killed'));
});

test('bootstrap() with a snapshot restores it first and passes no initial cluster flags', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.bootstrap({ recover: true, skipHashCheck: true });
  await runsTimes(rig, 1);
  assert.deepEqual([rig.restores, initialFlags(rig.runs[0])], [[`${self} unchecked`], []]);
});

test('a snapshot that cannot be restored fails the service with the reason, and the retry joins a cluster', async () => {
  const timers = new FakeTimers();
  const fault = new Fault('internal', 'etcdutl: expected sha256 [1], got [2]');
  await using rig = await openEtcdRig({ timers, restoreFault: fault });
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.bootstrap({ recover: true, skipHashCheck: false });
  await reaches(rig, 'Failed');
  assert.equal(
    rig.history().at(-1),
    'Failed: Failed to run pre stage: etcdutl: expected sha256 [1], got [2]',
  );
  assert.ok(await isEmpty(rig.data));
  rig.others.add({});
  while (timers.step(timers.now() + 30_000));
  await runsTimes(rig, 1);
  assert.match(initialFlags(rig.runs[0])[1] ?? '', /existing/);
});

test('a flag that the node sets itself prevents the start of etcd, and the history names the flag', async () => {
  await using rig = await openEtcdRig({ extraArgs: { 'data-dir': { values: ['/elsewhere'] } } });
  rig.others.add({});
  rig.service.start();
  await reaches(rig, 'Failed');
  assert.match(
    rig.history().at(-1) ?? '',
    /cluster\.etcd\.extraArgs sets "data-dir", which the node sets itself/,
  );
});

test('etcd without data records its version before it starts or restores a snapshot', async () => {
  for (const recover of [false, true]) {
    await using rig = await openEtcdRig({ restoreFault: new Fault('internal', 'the power failed') });
    // What an etcd of another version has left besides its data does not matter.
    await writeFile(rig.versionFile, '3.5\n');
    rig.service.start();
    await reaches(rig, 'Preparing');
    await rig.service.bootstrap({ recover, skipHashCheck: false });
    await reaches(rig, recover ? 'Failed' : 'Running');
    assert.equal(await readFile(rig.versionFile, 'utf8'), '3.6\n');
  }
});

test('etcd that joins a cluster records its version too, and starts with its data after that', async () => {
  await using rig = await openEtcdRig();
  rig.others.add({});
  rig.service.start();
  await runsTimes(rig, 1);
  assert.equal(await readFile(rig.versionFile, 'utf8'), '3.6\n');
  await rig.service.stop();
  rig.service.start();
  await runsTimes(rig, 2);
  assert.deepEqual(initialFlags(rig.runs[1]), []);
});

test('data of another minor version, or of an unrecorded one, prevent the start and stay as they are', async () => {
  for (const [recorded, written] of [
    ['3.5\n', /^etcd 3\.6 cannot start: its data were written by etcd 3\.5; nothing was changed/],
    [undefined, /^etcd 3\.6 cannot start: .* whose version is not recorded/],
  ] as const) {
    await using rig = await openEtcdRig();
    await mkdir(join(rig.data, 'member/wal'), { recursive: true });
    await mkdir(join(rig.data, 'member/snap'));
    await writeFile(join(rig.data, 'member/snap/db'), 'x');
    if (recorded !== undefined) await writeFile(rig.versionFile, recorded);
    rig.service.start();
    await reaches(rig, 'Failed');
    const { kind, message } = rig.service.failure ?? assert.fail('no failure');
    assert.equal(kind, 'failed-precondition');
    assert.match(message, written);
    assert.equal(rig.history().at(-1), `Failed: Failed to run pre stage: ${message}`);
    assert.deepEqual([rig.runs.length, await readFile(join(rig.data, 'member/snap/db'), 'utf8')], [0, 'x']);
    const left = await readFile(rig.versionFile, 'utf8').catch(() => undefined);
    assert.equal(left, recorded);
    await assert.rejects(rig.service.bootstrap(plain), { kind: 'already-exists' });
    // After a reset the node has no data, and starts as a new one.
    await rig.service.wipe();
    assert.equal(rig.service.failure, undefined);
    rig.others.add({});
    rig.service.start();
    await runsTimes(rig, 1);
    assert.equal(await readFile(rig.versionFile, 'utf8'), '3.6\n');
  }
});

test('wipe() stops etcd and empties its data folder without removing it', async () => {
  await using rig = await openEtcdRig();
  rig.service.start();
  await reaches(rig, 'Preparing');
  await rig.service.bootstrap(plain);
  await runsTimes(rig, 1);
  await rig.service.wipe();
  assert.deepEqual([rig.state(), await isEmpty(rig.data)], ['Finished', true]);
  assert.equal(existsSync(rig.versionFile), false);
  rig.service.start();
  await reaches(rig, 'Preparing');
});
