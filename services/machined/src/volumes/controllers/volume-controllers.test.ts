import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { Selection, SelectorRequest } from '@nodewright/machine-config/selectors';
import { pointerTo, putResource } from '@nodewright/state';
import {
  blockMountStatuses,
  devicesStatuses,
  disks,
  systemDisks,
  volumeConfigs,
  volumeMountRequests,
  volumeMountStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import type { PartitionWish } from '../domain/change-partitions.ts';
import { imageCacheWish, mountOptionsOfImageCache, systemVolumes } from '../domain/system-volumes.ts';
import type { OverlayFolders, PartitionMountOptions, VolumePartitions } from '../domain/volume-partitions.ts';
import { volumeControllers } from './volume-controllers.ts';

const sizeBytes = 20_480_000_000n;

/** For configurations without a selector. */
const noSelectors: SelectorEvaluator = {
  select: ({ expression }) => assert.fail(`evaluated ${expression}`),
};

test('without a configuration a node has STATE, which is mounted as soon as its folder exists', async () => {
  const made: [string, number][] = [];
  const makeVolumeFolder = async (path: string, mode: number) => {
    made.push([path, mode]);
    return sizeBytes;
  };
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, makeVolumeFolder }),
  });
  await runtime.settled();
  const { state } = runtime;
  const [status] = await state.list(volumeStatuses);
  assert.deepEqual(status?.metadata.labels, { 'talos.dev/system-volume': '' });
  const { type, phase, size, prettySize, mountSpec } = status?.spec ?? {};
  assert.deepEqual([type, phase, size, prettySize], ['directory', 'ready', Number(sizeBytes), '20 GB']);
  assert.deepEqual(
    [mountSpec?.targetPath, mountSpec?.fileMode, mountSpec?.secure],
    ['/system/state', 0o700, true],
  );
  const [mount] = await state.list(volumeMountStatuses);
  assert.deepEqual(
    [mount?.metadata.id, mount?.spec.target, mount?.spec.requester, mount?.spec.noExec],
    ['STATE', '/system/state', 'sequencer', true],
  );
  assert.deepEqual(new Set(made.map(String)), new Set(['/system/state,448']));
});

test('a folder that cannot be created is a failed volume without a mount, and is retried', async () => {
  let isBroken = true;
  const makeVolumeFolder = async () => {
    if (isBroken) throw new Fault('failed-precondition', 'volume folder /system/state: EROFS');
    return sizeBytes;
  };
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, makeVolumeFolder }),
  });
  await runtime.settled();
  const { state } = runtime;
  const status = async () => (await state.get(pointerTo(volumeStatuses, 'STATE'))).spec;
  const { phase, errorMessage } = await status();
  assert.deepEqual([phase, errorMessage], ['failed', 'volume folder /system/state: EROFS']);
  assert.deepEqual(await state.list(blockMountStatuses), []);

  isBroken = false;
  await runtime.advance(30_000);
  assert.equal((await status()).phase, 'ready');
  assert.equal((await state.list(blockMountStatuses)).length, 1);
});

test('volumes below others are mounted below them, and one mount serves all requests', async () => {
  const makeVolumeFolder = async () => sizeBytes;
  const controllers = volumeControllers({ selectors: noSelectors, makeVolumeFolder }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  for (const { id, spec } of systemVolumes({ machineType: 'controlplane', hasPartitions: false })) {
    await putResource(state, { ...pointerTo(volumeConfigs, id), spec });
  }
  const want = (id: string, volumeID: string, requester: string, readOnly: boolean) => {
    const spec = { volumeID, requester, readOnly, detached: false, disableAccessTime: false };
    return putResource(state, {
      ...pointerTo(volumeMountRequests, id),
      spec: { ...spec, secure: readOnly, noExec: false },
    });
  };
  await want('ETCD', 'ETCD', 'sequencer', true);
  await want('service/etcd-ETCD', 'ETCD', 'service/etcd', false);
  await want('nosuch', 'nosuch', 'sequencer', false);
  await runtime.settled();
  const mounts = await state.list(blockMountStatuses);
  assert.deepEqual(
    mounts.map(({ metadata, spec }) => [
      metadata.id,
      spec.target,
      spec.readOnly,
      spec.spec.secure,
      spec.spec.parentID,
      spec.spec.requesters,
    ]),
    [['ETCD', '/var/lib/etcd', false, false, 'EPHEMERAL', ['sequencer', 'service/etcd']]],
  );
  const got = await state.list(volumeMountStatuses);
  assert.deepEqual(
    got.map(({ metadata, spec }) => [metadata.id, spec.requester, metadata.labels]),
    [
      ['ETCD', 'sequencer', { 'mount-status-id': 'ETCD' }],
      ['service/etcd-ETCD', 'service/etcd', { 'mount-status-id': 'ETCD' }],
    ],
  );
});

test('a worker has no volume for etcd, and a node without a configuration none below /var', () => {
  const ids = (type: string | undefined) =>
    systemVolumes({ machineType: type, hasPartitions: false }).map(({ id }) => id);
  assert.deepEqual(ids('worker'), ['STATE', 'EPHEMERAL', 'LOG']);
  assert.deepEqual(ids('controlplane'), ['STATE', 'EPHEMERAL', 'LOG', 'ETCD']);
  const withContainers = systemVolumes({ machineType: 'worker', hasPartitions: false, hasContainers: true });
  const opt = (hasPartitions: boolean) =>
    systemVolumes({ machineType: 'worker', hasPartitions, hasContainers: true }).find(
      ({ id }) => id === '/opt',
    );
  assert.deepEqual(
    [opt(false), opt(true)?.spec.type, opt(true)?.spec.parentId],
    [undefined, 'overlay', 'EPHEMERAL'],
  );
  const cri = withContainers.find(({ id }) => id === 'CRI')?.spec.mount;
  assert.deepEqual([cri?.targetPath, cri?.parentId, cri?.fileMode], ['lib/containerd', 'EPHEMERAL', 0]);
  assert.deepEqual(ids(undefined), ['STATE']);
});

test('the images on the disk of a machine are a volume that is mounted read-only and never formatted', async () => {
  const wishes: [string, PartitionWish][] = [];
  const mounts: [string, PartitionMountOptions][] = [];
  const partitions: VolumePartitions = {
    hasImageCache: true,
    exists: async () => true,
    async prepare(id, wish) {
      wishes.push([id, wish]);
      const contents = { uuid: '0b2a4f3e-7d57-4a5a-9a35-3f6f0b1f1f10' };
      return { device: '/dev/vda5', disk: '/dev/vda', number: 5, guid: 'g', sizeBytes: 64 << 20, contents };
    },
    async mount(id, mount) {
      mounts.push([id, mount]);
    },
    async mountOverlay() {},
  };
  await using runtime = openTestRuntime({
    controllers: volumeControllers({
      selectors: noSelectors,
      makeVolumeFolder: async () => sizeBytes,
      partitions,
    }),
  });
  await runtime.settled();
  assert.deepEqual(wishes.find(([id]) => id === 'IMAGECACHE')?.[1], imageCacheWish);
  assert.deepEqual(mounts.find(([id]) => id === 'IMAGECACHE')?.[1], mountOptionsOfImageCache);
  const { state } = runtime;
  const { spec } = await state.get(pointerTo(volumeStatuses, 'IMAGECACHE'));
  assert.deepEqual([spec.phase, spec.filesystem, spec.location], ['ready', 'ext4', '/dev/vda5']);
  const mount = (await state.get(pointerTo(volumeMountStatuses, 'IMAGECACHE'))).spec;
  assert.deepEqual([mount.target, mount.readOnly], ['/system/imagecache/disk', true]);
});

test('a partition is created once the devices are known, and one that is there is used at once', async () => {
  const prepared: string[] = [];
  const partitions: VolumePartitions = {
    hasImageCache: false,
    exists: async (_id, { label }) => label !== 'STATE',
    async prepare(id) {
      prepared.push(id);
      const contents = { uuid: '0b2a4f3e-7d57-4a5a-9a35-3f6f0b1f1f10' };
      return { device: '/dev/vda5', disk: '/dev/vda', number: 5, guid: 'g', sizeBytes: 64 << 20, contents };
    },
    async mount() {},
    async mountOverlay() {},
  };
  await using runtime = openTestRuntime({
    controllers: volumeControllers({
      selectors: noSelectors,
      makeVolumeFolder: async () => sizeBytes,
      partitions,
    }),
  });
  const { state } = runtime;
  const phase = async () => {
    await runtime.settled();
    return (await state.get(pointerTo(volumeStatuses, 'STATE'))).spec.phase;
  };
  assert.equal(await phase(), 'waiting');
  assert.deepEqual([...new Set(prepared)], ['META']);
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: true } });
  assert.equal(await phase(), 'ready');
  assert.ok(prepared.includes('STATE'));
});

test('/opt of a machine is an overlay, which is mounted once its folders are on EPHEMERAL', async () => {
  const made: string[] = [];
  const overlays: OverlayFolders[] = [];
  const partitions: VolumePartitions = {
    hasImageCache: false,
    exists: async () => true,
    async prepare() {
      const contents = { uuid: '0b2a4f3e-7d57-4a5a-9a35-3f6f0b1f1f10' };
      return { device: '/dev/vda6', disk: '/dev/vda', number: 6, guid: 'g', sizeBytes: 64 << 20, contents };
    },
    async mount() {},
    async mountOverlay(folders) {
      overlays.push(folders);
    },
  };
  const makeVolumeFolder = async (path: string) => {
    made.push(path);
    return sizeBytes;
  };
  const controllers = volumeControllers({ selectors: noSelectors, makeVolumeFolder, partitions }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  const given = { machineType: 'worker', hasPartitions: true, hasContainers: true };
  const opt = systemVolumes(given).find(({ id }) => id === '/opt') ?? assert.fail();
  await putResource(state, { ...pointerTo(volumeConfigs, '/opt'), spec: opt.spec });
  const request = { requester: 'sequencer', readOnly: false, detached: false, disableAccessTime: false };
  const want = (volumeID: string) =>
    putResource(state, {
      ...pointerTo(volumeMountRequests, volumeID),
      spec: { ...request, volumeID, secure: true, noExec: false },
    });
  await want('/opt');
  const parent = systemVolumes(given).find(({ id }) => id === 'EPHEMERAL') ?? assert.fail();
  await putResource(state, { ...pointerTo(volumeConfigs, 'EPHEMERAL'), spec: parent.spec });
  await runtime.settled();
  assert.deepEqual([made, overlays], [[], []]);

  await want('EPHEMERAL');
  await runtime.settled();
  const folders = {
    target: '/opt',
    changes: '/var/system/overlays/opt-diff',
    work: '/var/system/overlays/opt-workdir',
  };
  assert.deepEqual(new Set(made), new Set([folders.work, folders.changes]));
  assert.deepEqual(
    new Set(overlays.map((overlay) => JSON.stringify(overlay))),
    new Set([JSON.stringify(folders)]),
  );
  assert.equal((await state.get(pointerTo(volumeStatuses, '/opt'))).spec.phase, 'ready');
  assert.equal((await state.get(pointerTo(volumeMountStatuses, '/opt'))).spec.target, '/opt');
});

test('the disk selector of EPHEMERAL decides where its partition is created, and is not asked when there is one', async () => {
  const expression = "disk.transport == 'nvme'";
  const selections: Record<string, Selection> = {
    fails: { problem: 'the selector takes more than 2 s of processor time for 2 objects' },
    none: { selected: [] },
    other: { selected: ['/dev/vdb'] },
    both: { selected: ['/dev/vdb', '/dev/vda'] },
  };
  const asked: SelectorRequest[] = [];
  let [choice, exists] = ['fails', false];
  const prepared: string[] = [];
  const partitions: VolumePartitions = {
    hasImageCache: false,
    exists: async () => exists,
    async prepare(id) {
      prepared.push(id);
      const contents = { uuid: '0b2a4f3e-7d57-4a5a-9a35-3f6f0b1f1f10' };
      return { device: '/dev/vda6', disk: '/dev/vda', number: 6, guid: 'g', sizeBytes: 64 << 20, contents };
    },
    async mount() {},
    async mountOverlay() {},
  };
  const selectors: SelectorEvaluator = {
    async select(request) {
      asked.push(request);
      return selections[choice] ?? assert.fail(choice);
    },
  };
  const controllers = volumeControllers({ selectors, makeVolumeFolder: async () => sizeBytes, partitions });
  await using runtime = openTestRuntime({ controllers: controllers.slice(1, 2) });
  const { state } = runtime;
  const ephemeral = { diskSelector: expression, minSize: '', maxSize: '', grow: undefined };
  const volume =
    systemVolumes({ machineType: 'worker', hasPartitions: true, ephemeral }).find(
      ({ id }) => id === 'EPHEMERAL',
    ) ?? assert.fail();
  await putResource(state, { ...pointerTo(volumeConfigs, 'EPHEMERAL'), spec: volume.spec });
  const status = async () => {
    await runtime.settled();
    const { phase, errorMessage } = (await state.get(pointerTo(volumeStatuses, 'EPHEMERAL'))).spec;
    return [phase, errorMessage];
  };
  const empty = disks.codec.fromProto(new Uint8Array());
  for (const name of ['vda', 'vdb'])
    await putResource(state, { ...pointerTo(disks, name), spec: { ...empty, dev_path: `/dev/${name}` } });
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: true } });
  // The system disk is not known yet, so nothing is known of what the expression says.
  assert.deepEqual([await status(), asked.length], [['waiting', ''], 0]);
  await putResource(state, { ...pointerTo(systemDisks), spec: { diskID: 'vda', devPath: '/dev/vda' } });
  assert.deepEqual(await status(), [
    'failed',
    'the selector takes more than 2 s of processor time for 2 objects',
  ]);
  assert.deepEqual(
    [asked[0]?.environment, asked[0]?.expression, asked[0]?.candidates.map(({ name }) => name)],
    ['disk', expression, ['/dev/vda', '/dev/vdb']],
  );
  assert.deepEqual(
    asked[0]?.candidates.map(({ variables }) => variables.system_disk),
    [true, false],
  );
  const quoted = 'the selector "disk.transport == \'nvme\'" selects';
  for (const [next, problem] of [
    ['none', `${quoted} no disk`],
    [
      'other',
      `${quoted} /dev/vdb and not the system disk /dev/vda: volumes on other disks are not implemented`,
    ],
  ] as const) {
    choice = next;
    await runtime.advance(30_000);
    assert.deepEqual(await status(), ['failed', problem]);
  }
  assert.deepEqual(prepared, []);
  choice = 'both';
  await runtime.advance(30_000);
  assert.deepEqual([await status(), prepared], [['ready', ''], ['EPHEMERAL']]);
  const before = asked.length;
  exists = true;
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: false } });
  assert.deepEqual([await status(), asked.length], [['ready', ''], before]);
});
