import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import type { PartitionWish } from '../domain/change-partitions.ts';
import { type LocatedPartition, type PlannedVolume, partitionPath } from '../domain/plan/volume-plan.ts';
import type { GivenFacts } from '../domain/volume-host.ts';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import { EmulatedFolders, startVolumes } from '../testing/emulated-machine.ts';

const mib = 1 << 20;
const state: PartitionWish = { label: 'STATE', minBytes: 4 * mib, maxBytes: 4 * mib, grows: false };
const ephemeral: PartitionWish = { label: 'EPHEMERAL', minBytes: 6 * mib, maxBytes: undefined, grows: true };

const volume = (wish: PartitionWish, path = `/volumes/${wish.label}`): PlannedVolume => ({
  ...{ id: wish.label, path, mode: 0o700, isOverlay: false },
  partition: { wish, fileSystem: 'xfs', selector: 'system_disk' },
});
const given: GivenFacts = {
  ...{ areDevicesKnown: true, selection: undefined, isParentMounted: true, mount: undefined },
};

/** A machine after its start: what it prepares, it finds or creates. */
function open(port: EmulatedDisk) {
  const { disk, executor } = startVolumes([port]);
  return {
    disk,
    executor,
    async prepare(wish: PartitionWish): Promise<LocatedPartition> {
      const { refusal, located } = await executor.settle(volume(wish), given);
      if (refusal !== undefined) throw new Fault(refusal.kind, refusal.message);
      return located ?? assert.fail('not located');
    },
  };
}
const layoutOf = (port: EmulatedDisk) =>
  port.partitions().map(({ number, label, first, last }) => [number, label, first / 2048, (last + 1) / 2048]);

test('prepare() creates and formats what is missing once, next to what is there', async () => {
  const port = new EmulatedDisk(32);
  const disk = open(port);
  const made = await disk.prepare(state);
  assert.deepEqual(
    [made.device, made.disk, made.number, made.sizeBytes, made.contents?.name, made.contents?.label],
    ['/dev/vda3', '/dev/vda', 3, 4 * mib, 'xfs', 'STATE'],
  );
  await disk.prepare(ephemeral);
  assert.deepEqual(layoutOf(port), [
    [1, 'BOOT', 1, 2],
    [2, 'META', 2, 3],
    [3, 'STATE', 3, 7],
    [4, 'EPHEMERAL', 7, 31],
  ]);
  port.restart();
  assert.deepEqual((await open(port).prepare(state)).contents?.uuid, made.contents?.uuid);
  assert.equal(port.formats, 2);
});

test('a partition is mounted once, as the file system that it holds, and unmounted when nothing requests it', async () => {
  const port = new EmulatedDisk(32);
  const folders = new EmulatedFolders();
  const { executor, disk } = startVolumes([port], { folders });
  const mount = { flags: 2, options: 'prjquota' };
  const of = volume(state, '/system/state');
  await executor.settle(of, { ...given, mount });
  await executor.settle(of, { ...given, mount });
  const mounted = { device: '/dev/vda3', type: 'xfs', target: '/system/state', ...mount };
  assert.deepEqual([port.mounts, folders.modes], [[mounted], [['/system/state', 0o700]]]);
  // The port refuses to unmount what is in use, and the next attempt does it.
  port.mounts.length = 0;
  await assert.rejects(executor.leave('STATE', 'unmount'), {
    message: '/system/state: nothing is mounted at /system/state',
  });
  port.mounts.push(mounted);
  await executor.leave('STATE', 'unmount');
  await executor.leave('STATE', 'unmount');
  assert.deepEqual(port.mounts, []);

  const meta = { label: 'META', minBytes: mib, maxBytes: mib, grows: false };
  const plain = { ...volume(meta), partition: { wish: meta, fileSystem: 'none', selector: '' } };
  const { refusal } = await executor.settle(plain, { ...given, mount });
  assert.deepEqual(refusal, { kind: 'failed-precondition', message: '/dev/vda2 holds no file system' });
  assert.equal((await disk.find('META'))?.contents, undefined);
});

test('a partition grows into a larger disk, and its file system when it is mounted', async () => {
  const small = new EmulatedDisk(16);
  await open(small).prepare(ephemeral);
  const port = new EmulatedDisk(32);
  small.bytes.copy(port.bytes);
  port.restart();
  const { executor, prepare } = open(port);
  assert.equal((await prepare(ephemeral)).sizeBytes, 28 * mib);
  await executor.settle(volume(ephemeral, '/var'), { ...given, mount: { flags: 0, options: '' } });
  assert.deepEqual(port.grown, [['/var', (28 * mib) / 4096]]);
  port.restart();
  assert.equal((await open(port).prepare({ ...ephemeral, grows: false })).sizeBytes, 28 * mib);
});

test('what is open stays as it is until it is closed, also when the disk cannot be read any more', async () => {
  const port = new EmulatedDisk(32);
  const { executor, prepare } = open(port);
  const made = await prepare(state);
  const disk = Buffer.from(port.bytes);
  port.bytes.fill(0xff);
  assert.deepEqual(await prepare(state), made);
  await executor.leave('STATE', 'unmount');
  assert.deepEqual(await prepare(state), made);
  await executor.leave('STATE', 'forget');
  await assert.rejects(prepare(state), { kind: 'data-loss' });
  disk.copy(port.bytes);
  assert.deepEqual(await prepare(state), made);
});

test('what was wiped before its mount is read again: it is not mounted as what it was', async () => {
  const port = new EmulatedDisk(32);
  const { executor, prepare } = open(port);
  const made = await prepare(state);
  port.bytes.fill(0, 3 * mib, 7 * mib);
  const mount = { flags: 0, options: '' };
  await executor.settle(volume(state, '/system/state'), { ...given, mount });
  assert.deepEqual([port.formats, port.mounts.map(({ device }) => device)], [2, [made.device]]);
});

test('a disk without room is refused with the sizes, and so is a partition with something else in it', async () => {
  const port = new EmulatedDisk(8);
  await assert.rejects(open(port).prepare(ephemeral), {
    kind: 'resource-exhausted',
    message: 'the disk has no room for EPHEMERAL: it needs 6.3 MB, and the largest free range has 4.2 MB',
  });
  await open(port).prepare(state);
  const before = Buffer.from(port.bytes);
  const { first } = port.partitions()[2] ?? { first: 0 };
  before.write('hsqs', first * 512, 'latin1');
  before.copy(port.bytes);
  await assert.rejects(open(port).prepare(state), {
    kind: 'failed-precondition',
    message: /\/dev\/vda3 holds squashfs, not xfs: wipe it if nobody needs it \(talosctl wipe disk vda3\)/,
  });
  assert.ok(port.bytes.equals(before), 'nothing was written');
});

test('a partition that begins with zeros is formatted, and one whose creation was interrupted is used again', async () => {
  const port = new EmulatedDisk(16);
  await open(port).prepare(state);
  const { first } = port.partitions()[2] ?? { first: 0 };
  port.bytes.fill(0, first * 512, first * 512 + mib);
  assert.equal((await open(port).prepare(state)).contents?.label, 'STATE');
  assert.equal(port.formats, 2);
});

test('a partition whose contents are not recognised is refused with what to do, and not changed', async () => {
  const marks: readonly [name: string, at: number, mark: string][] = [
    ['btrfs', 65_600, '_BHRfS_M'],
    ['LVM', 512, 'LABELONE'],
    ['RAID', 4096, '\xfc\x4e\x2b\xa9'],
    ['XFS without its first sector', 512, 'XAGF'],
    ['the last byte of the first MiB', mib - 1, '\x01'],
  ];
  for (const [name, at, mark] of marks) {
    const port = new EmulatedDisk(16);
    await open(port).prepare(state);
    const start = (port.partitions()[2]?.first ?? 0) * 512;
    port.bytes.fill(0, start, start + mib);
    port.bytes.write(mark, start + at, 'latin1');
    port.restart();
    const before = Buffer.from(port.bytes);
    await assert.rejects(open(port).prepare(state), {
      kind: 'failed-precondition',
      message:
        '/dev/vda3 is labelled STATE and holds something that is not recognised, such as a damaged file system: wipe it if nobody needs it (talosctl wipe disk vda3)',
    });
    assert.ok(port.bytes.equals(before), name);
  }
});

test('remove() removes volumes and creates none any more; removeAll() removes everything', async () => {
  const port = new EmulatedDisk(16);
  const { disk, prepare } = open(port);
  await prepare(state);
  await prepare(ephemeral);
  await disk.remove(['EPHEMERAL']);
  assert.deepEqual(
    layoutOf(port).map(([, label]) => label),
    ['BOOT', 'META', 'STATE'],
  );
  // The executor keeps what it has open; what it opens now is new.
  await assert.rejects(prepare({ ...ephemeral, label: 'OTHER' }), { message: 'the node is being reset' });
  await disk.removeAll();
  assert.throws(() => port.partitions(), /no partition table/);
  assert.ok(port.bytes.subarray(0, mib).every((byte) => byte === 0));
});

test('wherever the power fails, the next start finds the old volumes or creates new ones, and never half of one', async () => {
  const disks = fc.record({
    cuts: fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
    written: fc.infiniteStream(fc.boolean()),
    resets: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(disks, async ({ cuts, written, resets }) => {
      const port = new EmulatedDisk(16);
      port.isWritten = () => written.next().value === true;
      let known: string | undefined;
      let isReset = false;
      for (const cut of [...cuts, undefined]) {
        port.restart();
        if (cut !== undefined) port.writesLeft = cut;
        try {
          const disk = open(port);
          const found = await disk.prepare(state);
          assert.equal(found.contents?.isUnfinished, false);
          // The configuration was not lost, unless a reset had begun.
          if (known !== undefined && !isReset) assert.equal(found.contents?.uuid, known);
          known = found.contents?.uuid;
          isReset = false;
          await disk.prepare(ephemeral);
          if (!resets || cut === undefined) continue;
          isReset = true;
          await disk.disk.remove(['STATE', 'EPHEMERAL']);
        } catch (error) {
          assert.equal((error as Error & { cause?: Error }).cause?.name, 'PowerCut', String(error));
        }
        const labels = port.partitions().map(({ label }) => label);
        assert.deepEqual(labels.slice(0, 2), ['BOOT', 'META']);
        assert.equal(new Set(labels).size, labels.length);
      }
      assert.deepEqual(
        port
          .partitions()
          .map(({ label }) => label)
          .sort(),
        ['BOOT', 'EPHEMERAL', 'META', 'STATE'],
      );
    }),
    { numRuns: 60 },
  );
});

test('a failure names what failed: the table, a partition, or what is mounted', async () => {
  const port = new EmulatedDisk(16);
  const folders = new EmulatedFolders();
  const { executor } = startVolumes([port], { folders });
  const of = volume(state, '/system/state');
  const mount = { flags: 0, options: '' };
  const fails = (message: string) => assert.rejects(executor.settle(of, { ...given, mount }), { message });
  port.writesLeft = 0;
  await fails('system disk /dev/vda: the power has failed');
  port.restart();
  const makeXfs = port.makeXfs.bind(port);
  port.makeXfs = async () => {
    throw new Error('mkfs.xfs: EIO');
  };
  await fails('/dev/vda3: mkfs.xfs: EIO');
  port.makeXfs = makeXfs;
  port.mountFailure = new Error('mount: EIO');
  await fails('/dev/vda3: mount: EIO');
  port.mountFailure = undefined;
  folders.mountFailure = new Error('chmod: EROFS');
  await fails('/system/state: chmod: EROFS');
  // What follows the mount is done by the next attempt, which does not mount a second time.
  folders.mountFailure = undefined;
  await executor.settle(of, { ...given, mount });
  assert.deepEqual([port.mounts.length, folders.modes], [1, [['/system/state', 0o700]]]);
  port.read = async () => {
    throw new Error('read: EIO');
  };
  await assert.rejects(executor.settle(volume(ephemeral), given), {
    message: 'system disk /dev/vda: read: EIO',
  });
});

test('drop() deletes only the partition with the GUID, and nothing gets its number before the kernel forgets it', async () => {
  const port = new EmulatedDisk(16);
  const { disk, prepare } = open(port);
  const { number, guid } = await prepare(state);
  const before = Buffer.from(port.bytes);
  const never = () => assert.fail('another partition is forgotten');
  await assert.rejects(disk.drop({ number, guid: 'another' }, never), {
    message: `/dev/vda has another partition ${number} now`,
  });
  assert.ok(port.bytes.equals(before));
  const { promise, resolve } = Promise.withResolvers<void>();
  const dropped = disk.drop({ number, guid }, () => promise);
  const next = prepare({ ...ephemeral, maxBytes: 6 * mib });
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(layoutOf(port).length, 3, 'the entry stays until the kernel has forgotten it');
  port.removePartition('/dev/vda', number);
  resolve();
  await dropped;
  assert.deepEqual([(await next).number, (await next).sizeBytes], [number, 6 * mib]);
});

test('a folder is made while a change of a table takes long', async () => {
  const { executor, disk, folders } = startVolumes([new EmulatedDisk(16)]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const change = disk.inTurn(() => promise);
  const log = { id: 'LOG', path: '/var/log', mode: 0o755, isOverlay: false, partition: undefined };
  await executor.settle(log, given);
  assert.equal(await folders.sizeOf('/var/log'), 20_480_000_000n);
  resolve();
  await change;
});

test('partitionPath() separates the number from a name that ends with a digit', () => {
  assert.equal(partitionPath('/dev/sda', 5), '/dev/sda5');
  assert.equal(partitionPath('/dev/nvme0n1', 5), '/dev/nvme0n1p5');
});
