import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { Selection, SelectorRequest } from '@nodewright/machine-config/selectors';
import {
  addFinalizers,
  type KindRef,
  pointerTo,
  putResource,
  removeFinalizers,
  type State,
  teardownAndDestroy,
} from '@nodewright/state';
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
import { plannedVolume, systemVolumes } from '../domain/system-volumes.ts';
import { VolumeExecutor } from '../host/volume-executor.ts';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import { EmulatedFolders, startMachine, startVolumes } from '../testing/emulated-machine.ts';
import { volumeControllers } from './volume-controllers.ts';

const sizeBytes = 20_480_000_000n;
/** Room for STATE and EPHEMERAL of their usual sizes would be slow to emulate. */
const diskMib = 16;
const mib = 1 << 20;

/** A node whose volumes are folders. */
const folderHost = (folders: EmulatedFolders) =>
  new VolumeExecutor({ disk: undefined, folders, log: { warn() {} } });

const dataPartition = (number: number, label: string, fromMib: number, toMib: number) => ({
  ...{ number, label, type: '0fc63daf-8483-4772-8e79-3d69d8477de4' },
  guid: `77777777-2222-4333-8444-55555555555${number}`,
  ...{ first: fromMib * 2048, last: toMib * 2048 - 1 },
});

/** The disk of a machine that was started before: its volumes are smaller than usual. */
async function usedDisk(...labels: string[]): Promise<EmulatedDisk> {
  return withPartitions(new EmulatedDisk(diskMib), labels);
}

async function withPartitions(disk: EmulatedDisk, labels: readonly string[]): Promise<EmulatedDisk> {
  const own = labels.map((label, at) => dataPartition(at + 3, label, 3 + at, 4 + at));
  disk.writeTable([...disk.partitions(), ...own]);
  for (const { number, label } of own) await disk.makeXfs(`/dev/vda${number}`, label);
  return disk;
}

/** For configurations without a selector. */
const noSelectors: SelectorEvaluator = {
  select: ({ expression }) => assert.fail(`evaluated ${expression}`),
};

test('without a configuration a node has STATE, which is mounted as soon as its folder exists', async () => {
  const folders = new EmulatedFolders(sizeBytes);
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, host: folderHost(folders) }),
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
  assert.deepEqual([...folders.made], [['/system/state', 0o700]]);
});

test('a folder that cannot be created is a failed volume without a mount, and is retried', async () => {
  const folders = new EmulatedFolders(sizeBytes);
  folders.failure = new Fault('failed-precondition', 'volume folder /system/state: EROFS');
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, host: folderHost(folders) }),
  });
  await runtime.settled();
  const { state } = runtime;
  const status = async () => (await state.get(pointerTo(volumeStatuses, 'STATE'))).spec;
  const { phase, errorMessage } = await status();
  assert.deepEqual([phase, errorMessage], ['failed', 'volume folder /system/state: EROFS']);
  assert.deepEqual(await state.list(blockMountStatuses), []);

  folders.failure = undefined;
  await runtime.advance(30_000);
  assert.equal((await status()).phase, 'ready');
  assert.equal((await state.list(blockMountStatuses)).length, 1);
});

test('volumes below others are mounted below them, and one mount serves all requests', async () => {
  const host = folderHost(new EmulatedFolders());
  const controllers = volumeControllers({ selectors: noSelectors, host }).slice(1);
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
  assert.deepEqual(ids('controlplane'), ['STATE', 'EPHEMERAL', 'ETCD', 'LOG']);
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

test('a partial configuration, which has no machine type, brings no volumes', () => {
  const ids = systemVolumes({ machineType: 'unknown', hasPartitions: true, hasContainers: true }).map(
    ({ id }) => id,
  );
  assert.deepEqual(ids, ['META', 'STATE']);
});

test('the images on the disk of a machine are a volume that is mounted read-only and never formatted', async () => {
  const disk = new EmulatedDisk(diskMib);
  disk.writeTable([
    ...disk.partitions(),
    dataPartition(3, 'STATE', 3, 4),
    dataPartition(4, 'IMAGECACHE', 4, 5),
  ]);
  await disk.makeXfs('/dev/vda3', 'STATE');
  // The mark of ext4.
  disk.bytes.writeUInt16LE(0xef53, 4 * mib + 1080);
  const before = Buffer.from(disk.bytes);
  const { executor } = startVolumes([disk], { hasImageCache: true });
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, host: executor }),
  });
  await runtime.settled();
  const { state } = runtime;
  const { spec } = await state.get(pointerTo(volumeStatuses, 'IMAGECACHE'));
  assert.deepEqual([spec.phase, spec.filesystem, spec.location], ['ready', 'ext4', '/dev/vda4']);
  const mount = (await state.get(pointerTo(volumeMountStatuses, 'IMAGECACHE'))).spec;
  assert.deepEqual([mount.target, mount.readOnly], ['/system/imagecache/disk', true]);
  const mounted = disk.mounts.find(({ device }) => device === '/dev/vda4');
  // MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC and MS_RELATIME.
  assert.deepEqual([mounted?.type, mounted?.flags], ['ext4', 1 | 2 | 4 | 8 | (1 << 21)]);
  assert.ok(disk.bytes.equals(before));
});

test('a partition is created once the devices are known, and one that is there is used at once', async () => {
  const disk = new EmulatedDisk(128);
  const { executor } = startVolumes([disk]);
  await using runtime = openTestRuntime({
    controllers: volumeControllers({ selectors: noSelectors, host: executor }),
  });
  const { state } = runtime;
  const phases = async () => {
    await runtime.settled();
    return (await state.list(volumeStatuses)).map(({ metadata, spec }) => [metadata.id, spec.phase]);
  };
  assert.deepEqual(await phases(), [
    ['META', 'ready'],
    ['STATE', 'waiting'],
  ]);
  assert.equal(disk.formats, 0);
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: true } });
  assert.deepEqual(await phases(), [
    ['META', 'ready'],
    ['STATE', 'ready'],
  ]);
  assert.equal(disk.formats, 1);
});

/** Puts these volumes of a worker with containers, and requests their mounts. */
async function want(state: State, ...ids: string[]): Promise<void> {
  const given = { machineType: 'worker', hasPartitions: true, hasContainers: true };
  for (const { id, spec } of systemVolumes(given).filter((volume) => ids.includes(volume.id))) {
    await putResource(state, { ...pointerTo(volumeConfigs, id), spec });
    const request = { requester: 'sequencer', readOnly: false, detached: false, disableAccessTime: false };
    const wish = { ...request, volumeID: id, secure: spec.mount.secure, noExec: false };
    await putResource(state, { ...pointerTo(volumeMountRequests, id), spec: wish });
  }
}

const overlay = {
  ...{ device: 'overlay', type: 'overlay', target: '/opt', flags: 2 | 4 },
  options: 'lowerdir=/opt,upperdir=/var/system/overlays/opt-diff,workdir=/var/system/overlays/opt-workdir',
};

test('/opt of a machine is an overlay, which is mounted once its folders are on EPHEMERAL', async () => {
  const disk = await usedDisk('EPHEMERAL');
  const folders = new EmulatedFolders();
  const { executor } = startVolumes([disk], { folders });
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  await want(state, '/opt');
  await runtime.settled();
  assert.deepEqual([[...folders.made], disk.mounts], [[], []]);

  await want(state, 'EPHEMERAL');
  await runtime.settled();
  assert.deepEqual(
    [...folders.made.keys()],
    ['/var/system/overlays/opt-workdir', '/var/system/overlays/opt-diff'],
  );
  assert.deepEqual(disk.mounts.slice(1), [overlay]);
  assert.equal((await state.get(pointerTo(volumeStatuses, '/opt'))).spec.phase, 'ready');
  assert.equal((await state.get(pointerTo(volumeMountStatuses, '/opt'))).spec.target, '/opt');
});

test('a volume that is not wanted any more is unmounted and forgotten when nothing holds its mount any more', async () => {
  const disk = await usedDisk('EPHEMERAL');
  const { executor } = startVolumes([disk]);
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  await want(state, 'EPHEMERAL', '/opt');
  await runtime.settled();
  const targets = () => disk.mounts.map(({ target }) => target);
  assert.deepEqual(targets(), ['/var', '/opt']);
  const user = pointerTo(volumeMountStatuses, '/opt');
  await addFinalizers(state, user, 'user');

  await teardownAndDestroy(state, pointerTo(volumeMountRequests, '/opt'));
  await teardownAndDestroy(state, pointerTo(volumeConfigs, '/opt'));
  await runtime.settled();
  await runtime.advance(10_000);
  assert.deepEqual(targets(), ['/var', '/opt'], 'somebody uses it');
  const status = await state.get(pointerTo(volumeStatuses, '/opt'));
  assert.equal(status.metadata.phase, 'tearingDown');

  await removeFinalizers(state, user, 'user');
  await runtime.settled();
  assert.deepEqual(targets(), ['/var']);
  const ids = async (kind: KindRef) => (await state.list(kind)).map(({ metadata }) => metadata.id);
  for (const kind of [volumeStatuses, blockMountStatuses, volumeMountStatuses])
    assert.deepEqual(await ids(kind), ['EPHEMERAL']);

  await want(state, '/opt');
  await runtime.settled();
  assert.deepEqual(targets(), ['/var', '/opt']);
});

test('a mount that nothing requests any more is undone, and its volume stays ready', async () => {
  const disk = await usedDisk('EPHEMERAL');
  const folders = new EmulatedFolders();
  const { executor } = startVolumes([disk], { folders });
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  await want(state, 'EPHEMERAL', 'LOG');
  await runtime.settled();
  assert.deepEqual([disk.mounts.length, [...folders.made.keys()]], [1, ['/var/log']]);
  await teardownAndDestroy(state, pointerTo(volumeMountRequests, 'EPHEMERAL'));
  await runtime.settled();
  await runtime.advance(10_000);
  const mounts = (await state.list(blockMountStatuses)).map(({ metadata }) => metadata.id);
  assert.deepEqual([disk.mounts, mounts], [[], ['LOG']]);
  assert.deepEqual([...folders.made.keys()], ['/var/log'], 'no folder is made on the way back');
  assert.equal((await state.get(pointerTo(volumeStatuses, 'LOG'))).spec.phase, 'waiting');
  // Below the empty mount point a volume is not prepared, also when one more program requests its mount.
  folders.made.clear();
  const request = (await state.get(pointerTo(volumeMountRequests, 'LOG'))).spec;
  const other = { ...pointerTo(volumeMountRequests, 'service/x-LOG'), spec: request };
  await putResource(state, other);
  await runtime.settled();
  assert.deepEqual([...folders.made], []);
  assert.equal((await state.get(pointerTo(volumeStatuses, 'EPHEMERAL'))).spec.phase, 'ready');
});

test('a volume and its mount outlive a configuration that is gone for a moment', async () => {
  const disk = await usedDisk('EPHEMERAL');
  const { executor } = startVolumes([disk]);
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  await want(state, 'EPHEMERAL');
  await runtime.settled();
  let unmounts = 0;
  const leave = executor.leave.bind(executor);
  executor.leave = (id, end) => {
    unmounts += 1;
    return leave(id, end);
  };
  const removals = [
    () => teardownAndDestroy(state, pointerTo(volumeMountRequests, 'EPHEMERAL')),
    () => teardownAndDestroy(state, pointerTo(volumeConfigs, 'EPHEMERAL')),
  ];
  for (const remove of removals) {
    await remove();
    await runtime.settled();
    await runtime.advance(5000);
    const { phase } = (await state.get(pointerTo(blockMountStatuses, 'EPHEMERAL'))).metadata;
    assert.deepEqual([phase, disk.mounts.length, unmounts], ['running', 1, 0]);
    await want(state, 'EPHEMERAL');
    await runtime.settled();
    await runtime.advance(60_000);
    assert.deepEqual([disk.mounts.length, unmounts], [1, 0]);
  }
  await teardownAndDestroy(state, pointerTo(volumeMountRequests, 'EPHEMERAL'));
  await runtime.settled();
  await runtime.advance(10_000);
  assert.deepEqual([disk.mounts, unmounts], [[], 1]);
});

test('a mount that always fails delays no other one', async () => {
  const disk = await usedDisk('STATE', 'EPHEMERAL');
  const { executor } = startVolumes([disk]);
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  const mount = disk.mount.bind(disk);
  let attempts = 0;
  disk.mount = (wish) => {
    if (wish.target !== '/system/state') return mount(wish);
    attempts += 1;
    throw new Error('mount: EIO');
  };
  await want(state, 'STATE');
  await runtime.settled();
  // Until here the pauses of a controller that fails would have become minutes.
  for (let minute = 0; minute < 20; minute += 1) await runtime.advance(60_000);
  assert.ok(attempts > 10, 'it is tried again and again');
  await want(state, 'EPHEMERAL');
  await runtime.settled();
  assert.deepEqual(
    disk.mounts.map(({ target }) => target),
    ['/var'],
  );
  disk.mount = mount;
  await runtime.advance(30_000);
  assert.deepEqual(
    disk.mounts.map(({ target }) => target),
    ['/var', '/system/state'],
  );
});

test('a volume whose partition was deleted before it could be mounted gets a new one, and is mounted', async () => {
  // Large enough for a new EPHEMERAL.
  const disk = await withPartitions(new EmulatedDisk(2200), ['EPHEMERAL']);
  const { executor, disk: system } = startVolumes([disk]);
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  disk.mountFailure = new Error('mount: EUCLEAN');
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: true } });
  await want(state, 'EPHEMERAL');
  await runtime.settled();
  await system.drop({ number: 3 }, async () => disk.removePartition('/dev/vda', 3));
  disk.mountFailure = undefined;
  for (let minute = 0; minute < 3; minute += 1) await runtime.advance(60_000);
  assert.deepEqual(
    disk.mounts.map(({ target }) => target),
    ['/var'],
  );
});

test('a mount that failed holds no volume: one that was not wanted for a while is mounted again', async () => {
  const disk = await usedDisk('EPHEMERAL');
  const folders = new EmulatedFolders();
  const { executor } = startVolumes([disk], { folders });
  const controllers = volumeControllers({ selectors: noSelectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  const leave = async () => {
    await teardownAndDestroy(state, pointerTo(volumeMountRequests, 'EPHEMERAL'));
    await teardownAndDestroy(state, pointerTo(volumeConfigs, 'EPHEMERAL'));
    // The controller waits after its failure.
    await runtime.advance(60_000);
  };
  // The first one fails before something is mounted, the second one after that.
  for (const failing of [disk, folders]) {
    failing.mountFailure = new Error('mount: EIO');
    await want(state, 'EPHEMERAL');
    await runtime.settled();
    assert.deepEqual(await state.list(blockMountStatuses), []);
    await leave();
    assert.deepEqual([await state.list(volumeStatuses), disk.mounts], [[], []]);
    failing.mountFailure = undefined;
    await want(state, 'EPHEMERAL');
    await runtime.advance(60_000);
    assert.deepEqual(
      disk.mounts.map(({ target }) => target),
      ['/var'],
    );
    assert.deepEqual(folders.modes.at(-1), ['/var', 0o755]);
    await leave();
  }
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
  let choice = 'fails';
  const system = new EmulatedDisk(diskMib);
  const other = new EmulatedDisk(diskMib, { path: '/dev/vdb', isBlank: true });
  other.bytes.write('_BHRfS_M', 65_600, 'latin1');
  const { executor } = await startMachine([system, other]);
  const selectors: SelectorEvaluator = {
    async select(request) {
      asked.push(request);
      return selections[choice] ?? assert.fail(choice);
    },
  };
  const controllers = volumeControllers({ selectors, host: executor });
  await using runtime = openTestRuntime({ controllers: controllers.slice(1, 2) });
  const { state } = runtime;
  const own = { diskSelector: expression, minSize: '4MiB', maxSize: '', grow: undefined };
  const provisioning = new Map(['EPHEMERAL', 'STATE'].map((id) => [id, own]));
  const volumes = systemVolumes({ machineType: 'worker', hasPartitions: true, provisioning });
  const [ofState, volume = assert.fail()] = ['STATE', 'EPHEMERAL'].map((name) =>
    volumes.find(({ id }) => id === name),
  );
  assert.equal(ofState?.spec.provisioning.diskSelector.match, 'system_disk', 'its document is not acted on');
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
      '/dev/vdb has no GPT partition table and is not empty: wipe it if nobody needs it (talosctl wipe disk vdb)',
    ],
  ] as const) {
    choice = next;
    await runtime.advance(30_000);
    assert.deepEqual(await status(), ['failed', problem]);
  }
  const labels = () => system.partitions().map(({ label }) => label);
  assert.deepEqual(labels(), ['BOOT', 'META']);
  choice = 'both';
  await runtime.advance(30_000);
  assert.deepEqual(await status(), ['ready', '']);
  assert.deepEqual(labels(), ['BOOT', 'META', 'EPHEMERAL']);

  // After a restart the selector is not asked: what exists stays where it is.
  choice = 'other';
  const before = asked.length;
  system.restart();
  const next = await startMachine([system, other]);
  const given = { areDevicesKnown: true, selection: undefined, isParentMounted: true, mount: undefined };
  const plan = await next.executor.settle(plannedVolume('EPHEMERAL', volume.spec, new Map()), given);
  assert.deepEqual([plan.located?.device, asked.length], ['/dev/vda3', before]);
});

test('EPHEMERAL is created on the disk that its document selects, mounted, and described', async () => {
  const expression = "disk.transport == 'nvme'";
  const system = new EmulatedDisk(diskMib);
  const other = new EmulatedDisk(diskMib, { path: '/dev/vdb', isBlank: true });
  const { executor } = await startMachine([system, other]);
  const selectors: SelectorEvaluator = { select: async () => ({ selected: ['/dev/vdb'] }) };
  const controllers = volumeControllers({ selectors, host: executor }).slice(1);
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  const own = { diskSelector: expression, minSize: '4MiB', maxSize: '', grow: undefined };
  const provisioning = new Map([['EPHEMERAL', own]]);
  const volumes = systemVolumes({ machineType: 'worker', hasPartitions: true, provisioning });
  const { spec = assert.fail() } = volumes.find(({ id }) => id === 'EPHEMERAL') ?? {};
  await putResource(state, { ...pointerTo(devicesStatuses), spec: { ready: true } });
  await putResource(state, { ...pointerTo(systemDisks), spec: { diskID: 'vda', devPath: '/dev/vda' } });
  await want(state, 'EPHEMERAL');
  await putResource(state, { ...pointerTo(volumeConfigs, 'EPHEMERAL'), spec });
  await runtime.settled();
  const status = (await state.get(pointerTo(volumeStatuses, 'EPHEMERAL'))).spec;
  assert.deepEqual(
    [status.phase, status.location, status.parentLocation, status.errorMessage],
    ['ready', '/dev/vdb1', '/dev/vdb', ''],
  );
  assert.deepEqual(
    system.mounts.map(({ device, target }) => [device, target]),
    [['/dev/vdb1', '/var']],
  );
  assert.deepEqual(
    system.partitions().map(({ label }) => label),
    ['BOOT', 'META'],
  );
});
