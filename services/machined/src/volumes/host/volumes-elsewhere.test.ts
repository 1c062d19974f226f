// A volume on another disk than the system disk is the partition that META records, and nothing else, whatever happens to disks,
// documents and the power.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTable, encodeTable, partitionTypes, tableHeadBytes } from '@nodewright/disk';
import type { PlannedVolume, VolumePlan } from '../domain/plan/volume-plan.ts';
import { EmulatedDisk, EmulatedPower } from '../testing/emulated-disk.ts';
import { type StartMachineOptions, startMachine } from '../testing/emulated-machine.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { otherPlaces } from './other-disks.ts';
import { wipeUserDisks } from './user-disks.ts';
import { volumesOn } from './volumes-elsewhere.ts';

const mib = 1 << 20;
const ephemeral: PlannedVolume = {
  ...{ id: 'EPHEMERAL', path: '/var', mode: 0o755, isOverlay: false },
  partition: {
    wish: { label: 'EPHEMERAL', minBytes: 2 * mib, maxBytes: undefined, grows: true },
    ...{ fileSystem: 'xfs', selector: 'an expression' },
  },
};
const state: PlannedVolume = {
  ...{ id: 'STATE', path: '/system/state', mode: 0o700, isOverlay: false },
  partition: {
    wish: { label: 'STATE', minBytes: mib, maxBytes: mib, grows: false },
    ...{ fileSystem: 'xfs', selector: 'system_disk' },
  },
};
/** As of a configuration without the document. */
const plain: PlannedVolume = {
  ...ephemeral,
  partition: ephemeral.partition && { ...ephemeral.partition, selector: 'system_disk' },
};

const stranger = {
  ...{ number: 1, type: partitionTypes.linux, guid: '77777777-2222-4333-8444-555555555555' },
  ...{ label: 'EPHEMERAL', first: 2048, last: 3 * 2048 - 1 },
};

/** A system disk, and others that are blank. */
function rack(...others: readonly string[]) {
  const power = new EmulatedPower();
  const vda = new EmulatedDisk(8, { power });
  const disks = others.map((path) => new EmulatedDisk(8, { path, isBlank: true, power }));
  const all: readonly [EmulatedDisk, ...EmulatedDisk[]] = [vda, ...disks];
  const start = (options: StartMachineOptions = {}) => {
    for (const disk of all) disk.restart();
    return startMachine(all, options);
  };
  return { vda, disks, start };
}
type Machine = Awaited<ReturnType<typeof startMachine>>;

/** Plans the volume as the controllers do. @param selected paths of disks that the document selects */
async function settle(
  { executor }: Machine,
  selected: readonly string[],
  volume = ephemeral,
  areDevicesKnown = true,
): Promise<VolumePlan> {
  const given = {
    ...{ areDevicesKnown, isParentMounted: true, selection: undefined },
    mount: { flags: 0, options: '' },
  };
  const plan = await executor.settle(volume, given);
  return plan.waitsFor === 'selection'
    ? executor.settle(volume, { ...given, selection: { selected } })
    : plan;
}
const isZeros = (bytes: Buffer | undefined) => bytes?.equals(Buffer.alloc(bytes.length)) === true;
const messageOf = (plan: VolumePlan) => plan.refusal?.message ?? plan.waitsFor;
const labelsOf = (disk: EmulatedDisk) => disk.partitions().map(({ label }) => label);
/** What the file system was made with: another one after it was formatted again. */
const uuidOn = (disk: EmulatedDisk) => {
  const { first } = disk.partitions().find(({ label }) => label === 'EPHEMERAL') ?? assert.fail();
  return disk.bytes.readUInt32BE(first * 512 + 44);
};

/** A machine whose EPHEMERAL is on /dev/vdb. */
async function usedRack(...more: readonly string[]) {
  const { vda, disks, start } = rack('/dev/vdb', ...more);
  const [vdb = assert.fail(), ...others] = disks;
  const machine = await start();
  assert.equal((await settle(machine, ['/dev/vdb'])).located?.device, '/dev/vdb1');
  assert.equal(vda.mounts[0]?.device, '/dev/vdb1');
  return { vda, vdb, others, start, disks };
}

test('a volume is created on the selected disk, which gets a table if it is blank, and is recorded before and after', async () => {
  const { vda, disks, start } = rack('/dev/vdb', '/dev/vdc');
  const [vdb = assert.fail(), vdc = assert.fail()] = disks;
  const machine = await start();
  const records: unknown[] = [];
  const { elsewhere } = machine;
  const record = elsewhere.record.bind(elsewhere);
  elsewhere.record = async (id, place) => {
    await record(id, place);
    records.push([place?.isMade, labelsOf(vdb)]);
  };
  const { located } = await settle(machine, ['/dev/vdc', '/dev/vdb']);
  assert.deepEqual(
    [located?.device, labelsOf(vdb), labelsOf(vda)],
    ['/dev/vdb1', ['EPHEMERAL'], ['BOOT', 'META']],
  );
  assert.deepEqual(records, [
    [false, []],
    [true, ['EPHEMERAL']],
  ]);
  const { places } = await machine.meta.readRecords();
  const recorded = places === 'lost' ? undefined : places.get('EPHEMERAL');
  assert.deepEqual([recorded?.partition, recorded?.isMade], [located?.guid, true]);
  assert.throws(() => vdc.partitions());
  assert.deepEqual([...(await machine.meta.read())], [], 'the record is no value of META');
  await machine.meta.write(new Map([[12, Buffer.from('value')]]));
  assert.deepEqual((await machine.meta.readRecords()).places, places, 'a write of values keeps it');
});

test('1: a volume stays where it is when its document is removed or selects another disk', async () => {
  const { vda, vdb, start } = await usedRack('/dev/vdc');
  const uuid = uuidOn(vdb);
  for (const [volume, selected] of [
    [plain, []],
    [ephemeral, ['/dev/vdc']],
    [ephemeral, ['/dev/vda']],
    [ephemeral, []],
  ] as const) {
    const { located } = await settle(await start(), selected, volume);
    assert.deepEqual([located?.device, uuidOn(vdb), labelsOf(vda)], ['/dev/vdb1', uuid, ['BOOT', 'META']]);
  }
});

test('2: a disk that cannot be read is unknown: no second partition is made, and a selected one fails the volume', async () => {
  const { vda, vdb, others, start } = await usedRack('/dev/vdc');
  vdb.readFailure = new Error('EIO');
  for (const volume of [ephemeral, plain]) {
    const machine = await start();
    const plan = await settle(machine, ['/dev/vdc'], volume);
    assert.match(
      messageOf(plan) ?? '',
      /^volume EPHEMERAL is partition .* not all disks can be read: \/dev\/vdb: EIO$/,
    );
    assert.equal(plan.refusal?.kind, 'unavailable');
  }
  assert.deepEqual([labelsOf(vda), isZeros(others[0]?.bytes)], [['BOOT', 'META'], true]);
  vdb.readFailure = undefined;
  assert.equal((await settle(await start(), [])).located?.device, '/dev/vdb1');

  const fresh = rack('/dev/vdb', '/dev/vdc');
  const [first = assert.fail(), second = assert.fail()] = fresh.disks;
  first.readFailure = new Error('EIO');
  const machine = await fresh.start();
  const plan = await settle(machine, ['/dev/vdb', '/dev/vdc']);
  assert.equal(messageOf(plan), '/dev/vdb cannot be used: EIO');
  assert.ok(isZeros(second.bytes));
  // Before all devices are known a volume waits.
  assert.equal(messageOf(await settle(machine, [], ephemeral, false)), 'devices');
});

test('3: a partition of another machine is neither adopted nor formatted, and nothing is created beside it', async () => {
  for (const label of ['EPHEMERAL', 'EPHEMERAL.new', 'META', 'STATE.new']) {
    const { vda, disks, start } = rack('/dev/vdb', '/dev/vdc');
    const [vdb = assert.fail(), vdc = assert.fail()] = disks;
    vdb.writeTable([{ ...stranger, label }]);
    const before = Buffer.from(vdb.bytes);
    const machine = await start();
    const plan = await settle(machine, ['/dev/vdc', '/dev/vdb']);
    assert.equal(
      messageOf(plan),
      `/dev/vdb has a partition ${label} that META does not record, so it is of another machine: wipe the disk if nobody needs it, or select another one`,
    );
    assert.ok(vdb.bytes.equals(before) && isZeros(vdc.bytes));
    // Without a document it is nothing to the machine.
    assert.equal((await settle(await start(), [], plain)).located?.disk, '/dev/vda');
    assert.ok(vdb.bytes.equals(before));
    assert.deepEqual(labelsOf(vda), ['BOOT', 'META', 'EPHEMERAL']);
  }
});

test('a disk with something else is refused, and other partitions of a disk with a table stay', async () => {
  const { disks, start } = rack('/dev/vdb', '/dev/vdc');
  const [vdb = assert.fail(), vdc = assert.fail()] = disks;
  vdb.bytes.write('_BHRfS_M', 65_600, 'latin1');
  vdc.writeTable([{ ...stranger, label: 'archive' }]);
  const before = Buffer.from(vdb.bytes);
  const plan = await settle(await start(), ['/dev/vdb']);
  assert.equal(
    messageOf(plan),
    '/dev/vdb has no GPT partition table and is not empty: wipe it if nobody needs it (talosctl wipe disk vdb)',
  );
  assert.ok(vdb.bytes.equals(before));
  const data = Buffer.from(vdc.bytes.subarray(mib, 3 * mib));
  assert.equal((await settle(await start(), ['/dev/vdb', '/dev/vdc'])).located?.device, '/dev/vdc2');
  assert.ok(vdc.bytes.subarray(mib, 3 * mib).equals(data));
});

test('a selected device that cannot hold a volume, such as a loop device, is passed over for the next one', async () => {
  const { start } = rack('/dev/vdb');
  const none = await settle(await start(), ['/dev/loop0', '/dev/sr0']);
  assert.match(messageOf(none) ?? '', /selects \/dev\/loop0, \/dev\/sr0, which cannot hold a volume/);
  const plan = await settle(await start(), ['/dev/loop0', '/dev/sr0', '/dev/vdb']);
  assert.equal(plan.located?.device, '/dev/vdb1');
});

test('a disk keeps what lies beside its partition table, such as the metadata of a RAID or a boot loader', async () => {
  const archive = { ...stranger, label: 'archive' };
  const raid = (disk: EmulatedDisk, marked: number) => {
    const { head, tail } = encodeTable(
      { guid: '99999999-2222-4333-8444-555555555555', partitions: [archive] },
      disk.sectors - 256,
    );
    head.copy(disk.bytes);
    tail.copy(disk.bytes, (disk.sectors - 256) * 512 - tail.length);
    disk.bytes.write('Intel Raid ISM Cfg Sig. ', (disk.sectors - marked) * 512, 'latin1');
  };
  const withTable = (at: (disk: EmulatedDisk) => number, mark: string) => (disk: EmulatedDisk) => {
    disk.writeTable([archive]);
    disk.bytes.write(mark, at(disk), 'latin1');
  };
  const kept: readonly [reason: string, prepare: (disk: EmulatedDisk) => void][] = [
    ['that of a smaller disk', (disk) => raid(disk, 2)],
    ['that of a smaller disk', (disk) => raid(disk, 24)],
    ['something between its GPT partition table and', withTable(() => 34 * 512, 'RKNS')],
    ['something between its GPT partition table and', withTable(() => 64 * 512, 'RKNS-idbloader')],
    ['something else where the copy', withTable(({ sectors }) => (sectors - 1) * 512, 'md superblock')],
    ['has partitions in its MBR', withTable(() => 446 + 16 + 4, '\u0083')],
    ['has partitions in its MBR', withTable(() => 446 + 4, '\u0083')],
  ];
  for (const [reason, prepare] of kept) {
    const { disks, start } = rack('/dev/vdb', '/dev/vdc');
    const [vdb = assert.fail()] = disks;
    prepare(vdb);
    const before = Buffer.from(vdb.bytes);
    const plan = await settle(await start(), ['/dev/vdb']);
    assert.ok(messageOf(plan)?.includes(reason), `${reason}: ${messageOf(plan)}`);
    const { others } = await start();
    const place = { path: '/dev/vdb', sectors: vdb.sectors };
    const added = { ...stranger, number: 2, first: 4 * 2048, last: 5 * 2048 - 1 };
    await assert.rejects(others.addPartition(place, added), { kind: 'failed-precondition' });
    assert.equal((await settle(await start(), ['/dev/vdb', '/dev/vdc'])).located?.device, '/dev/vdc1');
    assert.ok(vdb.bytes.equals(before), reason);
  }
});

test('4: a whole reset wipes the recorded partition, also when the power fails at any write', async () => {
  let completed = 0;
  for (let writes = 0; writes < 16; writes += 1) {
    const { vda, vdb, start } = await usedRack();
    const machine = await start();
    vda.power.writesLeft = writes;
    await machine.wipe(['META', 'STATE', 'EPHEMERAL'], true).catch(() => {});
    const hasTable = () => {
      try {
        return vda.partitions().length > 0;
      } catch {
        return false;
      }
    };
    // Either nothing has begun, or the next start completes it.
    for (let starts = 0; starts < 2 && hasTable(); starts += 1) {
      const { finished, resetFailure } = await start();
      assert.deepEqual(resetFailure, undefined);
      if (finished !== undefined) assert.ok(finished.isWhole && !hasTable(), `after ${writes} writes`);
    }
    if (hasTable()) {
      assert.equal((await settle(await start(), [])).located?.device, '/dev/vdb1');
      continue;
    }
    completed += 1;
    assert.deepEqual(vdb.partitions(), [], `after ${writes} writes`);
    assert.ok(isZeros(vdb.bytes.subarray(mib, 2 * mib)));
  }
  assert.ok(completed > 8, String(completed));
});

test('4: a reset of the volume alone keeps the values of META, and the volume is created anew as its document says', async () => {
  for (let writes = 0; writes < 14; writes += 1) {
    const { vda, vdb, start } = await usedRack();
    const machine = await start();
    await machine.meta.write(new Map([[12, Buffer.from('value')]]));
    const uuid = uuidOn(vdb);
    vda.power.writesLeft = writes;
    await machine.wipe(['EPHEMERAL']).catch(() => {});
    const next = await start();
    assert.deepEqual([...(await next.meta.read()).keys()], [12]);
    const isWiped = labelsOf(vdb).length === 0;
    const { located } = await settle(next, ['/dev/vdb']);
    assert.equal(located?.device, '/dev/vdb1', `after ${writes} writes`);
    assert.equal(uuidOn(vdb) !== uuid, isWiped);
  }
});

test('5: a disk that is gone fails its volume with what to do, the others are there, and a reset gives it up', async () => {
  const { vda, vdb, start } = await usedRack();
  const guid = vdb.partitions()[0]?.guid;
  let connected: EmulatedDisk[] = [];
  const machine = await start({ connected: () => connected });
  for (const volume of [plain, ephemeral]) {
    const plan = await settle(machine, ['/dev/vda'], volume);
    assert.match(
      messageOf(plan) ?? '',
      new RegExp(
        `^volume EPHEMERAL is partition ${guid} of the disk with GUID .*, which is not there: connect the disk, or reset`,
      ),
    );
    assert.equal(messageOf(await settle(machine, [], volume, false)), 'devices');
  }
  assert.equal((await settle(machine, [], state)).located?.device, '/dev/vda3');
  assert.deepEqual(labelsOf(vda), ['BOOT', 'META', 'STATE']);
  // It is used as soon as the disk is there.
  const uuid = uuidOn(vdb);
  connected = [vdb];
  assert.equal((await settle(machine, [], plain)).located?.device, '/dev/vdb1');
  connected = [];
  await (await start({ connected: () => connected })).wipe(['EPHEMERAL']);
  const next = await start({ connected: () => connected });
  assert.deepEqual(next.finished?.left.length, 1);
  assert.equal((await settle(next, [], plain)).located?.disk, '/dev/vda');
  assert.equal(uuidOn(vdb), uuid);
});

test('6: a disk that is not there when a reset is completed is wiped when it is back, and the reset says so until then', async () => {
  const { vdb, start } = await usedRack('/dev/vdc');
  let connected: EmulatedDisk[] = [];
  const options = { connected: () => connected };
  await (await start(options)).wipe(['META', 'EPHEMERAL']);
  for (let starts = 0; starts < 2; starts += 1) {
    const { finished } = await start(options);
    assert.match(
      finished?.left.join() ?? '',
      /^partition .* of the disk with GUID .*: its disk is not there$/,
    );
  }
  assert.deepEqual(labelsOf(vdb), ['EPHEMERAL']);
  connected = [vdb];
  const { finished, meta } = await start(options);
  assert.deepEqual([finished?.left, labelsOf(vdb)], [[], []]);
  assert.deepEqual(await meta.readRecords(), { places: new Map(), reset: undefined });
  assert.equal((await start(options)).finished, undefined);
});

test('6: a disk that is back while the machine runs is wiped before a volume looks at it', async () => {
  const { vdb, start } = await usedRack();
  let connected: EmulatedDisk[] = [];
  const options = { connected: () => connected };
  await (await start(options)).wipe(['EPHEMERAL']);
  const machine = await start(options);
  const uuid = uuidOn(vdb);
  connected = [vdb];
  assert.equal((await settle(machine, ['/dev/vdb'])).located?.device, '/dev/vdb1');
  assert.notEqual(uuidOn(vdb), uuid);
  assert.equal((await machine.meta.readRecords()).reset, undefined);
});

test('6: a whole reset leaves the system disk until the other disk is wiped, or it is asked for once more', async () => {
  const { vda, vdb, start } = await usedRack();
  const all = ['META', 'STATE', 'EPHEMERAL'];
  const away = { connected: () => [] };
  const machine = await start(away);
  await assert.rejects(machine.wipe(all, true), {
    kind: 'failed-precondition',
    message: /its disk is not there: it stays to be wiped, and so does the system disk/,
  });
  const next = await start(away);
  assert.match(String(next.resetFailure), /its disk is not there/);
  assert.deepEqual(labelsOf(vda), ['BOOT', 'META']);
  await next.wipe(all, true);
  assert.throws(() => vda.partitions());
  assert.deepEqual(labelsOf(vdb), ['EPHEMERAL']);
});

test('6: a whole reset that waits for a disk stays recorded, whatever else is reset or wiped meanwhile', async () => {
  const all = ['META', 'STATE', 'EPHEMERAL'];
  const away = { connected: () => [] };
  const interrupted = async () => {
    const used = await usedRack();
    await settle(await used.start(), [], state);
    await assert.rejects((await used.start(away)).wipe(all, true), { kind: 'failed-precondition' });
    return used;
  };
  // The disk is wiped as one of users: then only the system disk is left to wipe.
  const first = await interrupted();
  let connected: EmulatedDisk[] = [];
  const machine = await first.start({ connected: () => connected });
  connected = [first.vdb];
  const disks = [{ devicePath: '/dev/vdb', sizeBytes: BigInt(first.vdb.bytes.length) }];
  await wipeUserDisks(machine, disks, ['/dev/vdb']);
  assert.equal((await machine.meta.readRecords()).reset?.isWhole, true);
  assert.equal((await first.start()).finished?.isWhole, true);
  assert.throws(() => first.vda.partitions());
  // One volume is reset before the disk is back.
  for (const volumes of [['EPHEMERAL'], ['STATE'], ['META'], ['META', 'STATE']]) {
    const { vda, vdb, start } = await interrupted();
    await (await start(away)).wipe(volumes);
    assert.match(String((await start(away)).resetFailure), /its disk is not there/, volumes.join());
    assert.equal((await start()).finished?.isWhole, true);
    assert.throws(() => vda.partitions());
    assert.deepEqual(labelsOf(vdb), []);
  }
  // The disk is back when the volume is reset.
  const last = await interrupted();
  let present: EmulatedDisk[] = [];
  const next = await last.start({ connected: () => present });
  present = [last.vdb];
  await next.wipe(['EPHEMERAL']);
  assert.deepEqual(labelsOf(last.vdb), []);
  assert.equal((await last.start()).finished?.isWhole, true);
});

test('6: what a second reset records while the first one is completed stays recorded', async () => {
  const { vdb, start } = await usedRack();
  let connected: EmulatedDisk[] = [];
  const options = { connected: () => connected };
  await (await start(options)).wipe(['EPHEMERAL']);
  const { elsewhere, meta, others } = await start(options);
  const another = { disk: stranger.guid, partition: stranger.guid };
  const remove = others.remove.bind(others);
  others.remove = async (targets) => {
    const left = await remove(targets);
    await meta.changeRecords(({ reset }) => ({
      reset: reset && { ...reset, elsewhere: [...reset.elsewhere, another] },
    }));
    return left;
  };
  connected = [vdb];
  await elsewhere.look('EPHEMERAL');
  assert.deepEqual((await meta.readRecords()).reset?.elsewhere, [another]);
  assert.deepEqual(labelsOf(vdb), []);
});

test('6: a second whole reset gives up only what the first one has named', async () => {
  const { vda, vdb, others, start } = await usedRack('/dev/vdc');
  const [vdc = assert.fail()] = others;
  const all = ['META', 'STATE', 'EPHEMERAL'];
  const without = { connected: () => [vdc] };
  await assert.rejects((await start(without)).wipe(all, true), {
    message: /a machine in maintenance needs a configuration applied before it can be reset$/,
  });
  // The volume is on another disk by now, which does not answer either.
  const next = await start(without);
  await next.elsewhere.record('EPHEMERAL', {
    ...{ disk: stranger.guid, partition: stranger.guid, isMade: true },
  });
  await assert.rejects(next.wipe(all, true), { message: new RegExp(stranger.guid) });
  assert.deepEqual(labelsOf(vda), ['BOOT', 'META']);
  await (await start(without)).wipe(all, true);
  assert.throws(() => vda.partitions());
  assert.deepEqual(labelsOf(vdb), ['EPHEMERAL']);
});

test('6: a reset wipes the partition on the disk that has it, of several whose tables have the same GUID', async () => {
  const { vdb, others, start } = await usedRack('/dev/vdc');
  const [vdc = assert.fail()] = others;
  const table = decodeTable(vdb.bytes.subarray(0, tableHeadBytes)) ?? assert.fail();
  // A disk of the same template, before it got the volume.
  vdc.writeTable([{ ...stranger, label: 'archive' }], table.guid);
  const before = Buffer.from(vdc.bytes);
  const machine = await start();
  vdb.readFailure = new Error('EIO');
  await machine.wipe(['EPHEMERAL']);
  const { reset } = await machine.meta.readRecords();
  assert.equal(reset?.elsewhere.length, 1, 'the partition may be on the disk that cannot be read');
  vdb.readFailure = undefined;
  const { finished } = await start();
  assert.deepEqual([finished?.left, labelsOf(vdb)], [[], []]);
  assert.ok(vdc.bytes.equals(before));
});

test('a plan that was made before a reset neither mounts nor records anything behind it', async () => {
  const { vda, vdb, start } = await usedRack();
  const machine = await start();
  const { elsewhere } = machine;
  const look = elsewhere.look.bind(elsewhere);
  elsewhere.look = async (id) => {
    const disks = await look(id);
    await machine.wipe(['EPHEMERAL']);
    elsewhere.look = look;
    return disks;
  };
  // What the plan was made from says that nothing is reset.
  await assert.rejects(
    settle(machine, ['/dev/vdb']).then((plan) => Promise.reject(new Error(messageOf(plan)))),
    { message: /the node is being reset/ },
  );
  assert.deepEqual([vda.mounts, labelsOf(vdb)], [[], []]);
  assert.deepEqual((await machine.meta.readRecords()).places, new Map());
});

test('otherPlaces() leaves out disks that are too small for a volume, which are not unknown then', () => {
  const disk = {
    ...({ name: 'mtdblock0', devicePath: '/dev/mtdblock0', sectorBytes: 512, kind: 'ssd' } as const),
    ...{ isReadOnly: false, wwid: '', serial: '', model: '' },
  };
  const sizes = [0n, 512n, 1n << 20n, 4n << 20n].map((sizeBytes) => ({ ...disk, sizeBytes }));
  assert.deepEqual(
    otherPlaces(sizes, '/dev/vda').map(({ sectors }) => sectors),
    [8192],
  );
});

test('7: a disk of users that holds a volume is not wiped as one, by its GUID and not by its path', async () => {
  const { vdb, others, start } = await usedRack('/dev/vdc');
  const [vdc = assert.fail()] = others;
  [vdb.path, vdc.path] = [vdc.path, vdb.path];
  const { elsewhere, executor, port } = await start();
  const disks = [vdb, vdc].map(({ path, bytes }) => ({ devicePath: path, sizeBytes: BigInt(bytes.length) }));
  const before = [vdb, vdc].map(({ bytes }) => Buffer.from(bytes));
  await assert.rejects(wipeUserDisks({ port, elsewhere }, disks, ['/dev/vdb', '/dev/vdc']), {
    kind: 'failed-precondition',
    message: '/dev/vdc holds the volume EPHEMERAL and is not wiped as the disk of a user: reset that volume',
  });
  assert.ok(before.every((bytes, at) => [vdb, vdc][at]?.bytes.equals(bytes)));
  const found = volumesOn(await elsewhere.find(), elsewhere.places);
  assert.deepEqual(found, [{ id: 'EPHEMERAL', location: '/dev/vdc1', parentLocation: '/dev/vdc' }]);
  await settle({ executor } as Machine, []);
  assert.deepEqual(executor.volumesOn('/dev/vdc'), ['EPHEMERAL']);
  vdc.bytes.fill(1);
  await wipeUserDisks({ port, elsewhere }, disks, ['/dev/vdb']);
  assert.ok(isZeros(vdc.bytes.subarray(0, mib)));
});

test('7: no device is wiped while it is not known where a recorded volume is', async () => {
  const { vda, vdb, start } = await usedRack();
  const recorded = async (machine: Machine) =>
    volumesOn(await machine.elsewhere.find(), machine.elsewhere.places);
  const unknown = await start();
  vdb.readFailure = new Error('EIO');
  await assert.rejects(recorded(unknown), {
    kind: 'unavailable',
    message:
      /^volume EPHEMERAL is partition .*, so no device is wiped: \/dev\/vdb: EIO; connect its disk, or/,
  });
  vdb.readFailure = undefined;
  assert.equal((await recorded(unknown)).length, 1);
  await assert.rejects(recorded(await start({ connected: () => [] })), { kind: 'failed-precondition' });
  // What is recorded and not created yet holds nothing.
  const { partition, disk } = { partition: stranger.guid, disk: stranger.guid };
  const fresh = await rack('/dev/vdb').start();
  await fresh.elsewhere.record('EPHEMERAL', { disk, partition, isMade: false });
  assert.deepEqual(await recorded(fresh), []);
  vda.bytes.fill(0xff, 2 * mib, 3 * mib);
  await assert.rejects(recorded(await start()), { message: /^META was damaged, so it is not known which/ });
});

test('7: a reset of the volume and of its disk as one of users wipes both', async () => {
  const { vdb, start } = await usedRack();
  const { elsewhere, port, wipe } = await start();
  const disks = [{ devicePath: vdb.path, sizeBytes: BigInt(vdb.bytes.length) }];
  await wipe(['EPHEMERAL']);
  await wipeUserDisks({ port, elsewhere }, disks, ['/dev/vdb']);
  assert.ok(isZeros(vdb.bytes.subarray(0, mib)));
  // What a reset has left on a disk is done when the whole disk is wiped.
  const away = await usedRack();
  await (await away.start({ connected: () => [] })).wipe(['EPHEMERAL']);
  let connected: EmulatedDisk[] = [];
  const next = await away.start({ connected: () => connected });
  connected = [away.vdb];
  await wipeUserDisks(next, disks, ['/dev/vdb']);
  assert.equal((await next.meta.readRecords()).reset, undefined);
});

test('8: a volume is found when disks have other paths, and a step fails when a path is another disk by then', async () => {
  const { vda, vdb, others, start } = await usedRack('/dev/vdc');
  const [vdc = assert.fail()] = others;
  const uuid = uuidOn(vdb);
  [vdb.path, vdc.path] = [vdc.path, vdb.path];
  const { located } = await settle(await start(), []);
  assert.deepEqual([located?.device, uuidOn(vdb), vda.mounts[0]?.device], ['/dev/vdc1', uuid, '/dev/vdc1']);
  const { others: port } = await start();
  const before = Buffer.from(vdb.bytes);
  const place = { path: '/dev/vdc', sectors: vdb.sectors, table: 'another' };
  for (const change of [
    port.addPartition(place, { ...stranger, number: 9 }),
    port.changePartition(place, stranger),
  ])
    await assert.rejects(change, { message: '/dev/vdc is another disk now' });
  assert.ok(vdb.bytes.equals(before));
});

test('9: a partition or a disk that is there twice is refused', async () => {
  const { vdb, others, start } = await usedRack('/dev/vdc');
  const [vdc = assert.fail()] = others;
  vdb.bytes.copy(vdc.bytes);
  const plan = await settle(await start(), []);
  assert.match(
    messageOf(plan) ?? '',
    /^volume EPHEMERAL cannot be told apart: partition .* is there several times \(\/dev\/vdb1, \/dev\/vdc1\)/,
  );
  // The second path may appear later than the first one.
  const early = await start({ connected: () => [vdb] });
  assert.equal(messageOf(await settle(early, [], ephemeral, false)), 'devices');
  const machine = await start();
  await machine.wipe(['EPHEMERAL']);
  assert.deepEqual([labelsOf(vdb), labelsOf(vdc)], [['EPHEMERAL'], ['EPHEMERAL']], 'which one is meant?');
  assert.match(
    (await start()).finished?.left.join() ?? '',
    /several disks have its GUID: \/dev\/vdb, \/dev\/vdc/,
  );

  const fresh = rack('/dev/vdb', '/dev/vdc');
  const same = await settle(await fresh.start({ identityOf: () => 'wwn-1' }), ['/dev/vdb']);
  assert.match(messageOf(same) ?? '', /^\/dev\/vdb and \/dev\/vdc are the same disk, or one is a copy/);
  assert.ok(fresh.disks.every(({ bytes }) => isZeros(bytes)));
});

test('9: a disk that something uses is refused with a reason', async () => {
  const { disks, start } = rack('/dev/vdb');
  const [vdb = assert.fail()] = disks;
  vdb.busy.add('/dev/vdb');
  await assert.rejects(settle(await start(), ['/dev/vdb']), {
    kind: 'failed-precondition',
    message: '/dev/vdb is in use: it or one of its partitions is mounted, or another device is built on it',
  });
  assert.ok(isZeros(vdb.bytes));
  vdb.busy.clear();
  vdb.busy.add('/dev/vdb1');
  await assert.rejects(settle(await start(), ['/dev/vdb']), { message: /^\/dev\/vdb is in use/ });
});

test('9: a disk that hangs is unknown, and volumes of the system disk are mounted meanwhile', async () => {
  const { vda, vdb, start } = await usedRack();
  const machine = await start({ timeoutMs: 50 });
  vdb.isHanging = true;
  const waiting = settle(machine, []);
  assert.equal((await settle(machine, [], state)).located?.device, '/dev/vda3');
  assert.match(messageOf(await waiting) ?? '', /the disk \/dev\/vdb did not answer within 50 ms/);
  assert.deepEqual(
    vda.mounts.map(({ target }) => target),
    ['/system/state'],
  );
  for (let attempt = 0; attempt < 3; attempt += 1)
    assert.match(messageOf(await settle(machine, [])) ?? '', /\/dev\/vdb: the disk \/dev\/vdb d/);
});

test('9: work on a disk that hangs in the middle holds no other volume, and no caller for longer than a minute', async () => {
  const { disks, start } = rack('/dev/vdb');
  const [vdb = assert.fail()] = disks;
  const alarms: (() => void)[] = [];
  let nowMs = 0;
  const timers = {
    ...{ now: () => nowMs, monotonicMs: () => nowMs },
    after(delayMs: number, action: () => void) {
      assert.ok(delayMs <= 60_000);
      alarms.push(action);
      return { [Symbol.dispose]() {} };
    },
  };
  const machine = await start({ timers });
  const { promise, resolve } = Promise.withResolvers<void>();
  const makeXfs = vdb.makeXfs.bind(vdb);
  vdb.makeXfs = async (device, label) => {
    await promise;
    await makeXfs(device, label);
  };
  const first = assert.rejects(settle(machine, ['/dev/vdb']), { kind: 'deadline-exceeded' });
  assert.equal((await settle(machine, [], state)).located?.device, '/dev/vda3');
  const second = assert.rejects(settle(machine, ['/dev/vdb']), {
    message: /^volume EPHEMERAL: a disk has not answered for 60 s/,
  });
  await assert.rejects(machine.executor.leave('EPHEMERAL', 'forget'), { kind: 'unavailable' });
  nowMs = 60_000;
  while (alarms.length < 2) await new Promise((done) => setTimeout(done, 5));
  for (const alarm of alarms) alarm();
  await Promise.all([first, second]);
  resolve();
  assert.equal((await settle(machine, [])).located?.device, '/dev/vdb1');
  assert.equal(vdb.formats, 1);
});

test('a volume is not taken for lost or for new when META is damaged, until it is reset', async () => {
  const { vda, vdb, start } = await usedRack();
  vda.bytes.fill(0xff, 2 * mib, 3 * mib);
  for (let starts = 0; starts < 2; starts += 1) {
    const machine = await start();
    assert.match(messageOf(await settle(machine, ['/dev/vdb'])) ?? '', /^META was damaged/);
    assert.match(messageOf(await settle(machine, [], plain)) ?? '', /^META was damaged/);
    // As the store of values does when it finds the damage.
    if (starts === 0) await createMetaOnDisk(vda, '/dev/vda2').putAside();
  }
  assert.deepEqual([labelsOf(vda), labelsOf(vdb)], [['BOOT', 'META'], ['EPHEMERAL']]);
  await (await start()).wipe(['EPHEMERAL']);
  assert.equal((await settle(await start(), [], plain)).located?.disk, '/dev/vda');
});

test('a reset says that it does not wipe what may be on other disks when META was damaged', async () => {
  for (const isWhole of [true, false]) {
    const { vda, vdb, start } = await usedRack();
    vda.bytes.fill(0xff, 2 * mib, 3 * mib);
    const machine = await start();
    await machine.wipe(['META', 'STATE', 'EPHEMERAL'], isWhole);
    assert.match(JSON.stringify(machine.warnings), /"EPHEMERAL".*what is on those is not wiped/);
    assert.deepEqual(labelsOf(vdb), ['EPHEMERAL']);
    const whole = await usedRack();
    const known = await whole.start();
    await known.wipe(['META', 'STATE', 'EPHEMERAL'], isWhole);
    assert.deepEqual(known.warnings, []);
  }
});

test('a reset of META alone keeps the record: the volume stays where it is', async () => {
  const { vda, vdb, start } = await usedRack();
  const uuid = uuidOn(vdb);
  const machine = await start();
  await machine.meta.write(new Map([[12, Buffer.from('value')]]));
  await machine.wipe(['META']);
  const next = await start();
  assert.deepEqual([...(await next.meta.read())], []);
  assert.equal((await settle(next, [], plain)).located?.device, '/dev/vdb1');
  assert.deepEqual([uuidOn(vdb), labelsOf(vda)], [uuid, ['BOOT', 'META']]);
});

test('a partition that was deleted is not created anew elsewhere, and one whose beginning is gone is not formatted', async () => {
  const { vda, vdb, start } = await usedRack();
  const { first } = vdb.partitions()[0] ?? assert.fail();
  vdb.bytes.write('_BHRfS_M', first * 512, 'latin1');
  assert.match(
    messageOf(await settle(await start(), ['/dev/vda'])) ?? '',
    /^\/dev\/vdb1 is labelled EPHEMERAL/,
  );
  const { others, port } = await start();
  const [{ table } = assert.fail()] = (await others.look([])).flatMap(({ state: found }) =>
    found.kind === 'table' ? [found] : [],
  );
  const entry = { disk: '/dev/vdb', sectors: vdb.sectors, number: 1, guid: table.partitions[0]?.guid ?? '' };
  await others.drop(entry, async () => port.removePartition('/dev/vdb', 1));
  assert.match(
    messageOf(await settle(await start(), ['/dev/vda'])) ?? '',
    /and \/dev\/vdb has no such partition any more: reset the volume to give it up/,
  );
  assert.deepEqual(labelsOf(vda), ['BOOT', 'META']);
});

test('a volume that has been in use is not formatted when its beginning reads as zeros', async () => {
  const { vdb, start } = await usedRack();
  const { first } = vdb.partitions()[0] ?? assert.fail();
  vdb.bytes.fill(0, first * 512, first * 512 + mib);
  const before = Buffer.from(vdb.bytes);
  const plan = await settle(await start(), ['/dev/vdb']);
  assert.match(
    messageOf(plan) ?? '',
    /^\/dev\/vdb1 is volume EPHEMERAL, which has been in use, and begins with zeros/,
  );
  assert.ok(vdb.bytes.equals(before));
  await (await start()).wipe(['EPHEMERAL']);
  assert.equal((await settle(await start(), ['/dev/vdb'])).located?.device, '/dev/vdb1');
  assert.equal(vdb.formats, 2);
});

test('a volume with data is mounted as it is when its partition cannot grow', async () => {
  for (const fail of ['table', 'kernel'] as const) {
    const { vda, vdb } = await usedRack();
    const larger = new EmulatedDisk(12, { path: '/dev/vdb', isBlank: true, power: vda.power });
    vdb.bytes.copy(larger.bytes);
    const restarted = async () => {
      for (const disk of [vda, larger]) disk.restart();
      return startMachine([vda, larger]);
    };
    const machine = await restarted();
    const write = larger.write.bind(larger);
    const resize = larger.resizePartition.bind(larger);
    const failure = () => {
      throw new Error('EIO');
    };
    if (fail === 'table') larger.write = async () => failure();
    else larger.resizePartition = failure;
    const { located, refusal } = await settle(machine, ['/dev/vdb']);
    assert.deepEqual([located?.device, refusal], ['/dev/vdb1', undefined], fail);
    assert.equal(vda.mounts[0]?.device, '/dev/vdb1');
    // It grows with the next start.
    [larger.write, larger.resizePartition] = [write, resize];
    await settle(await restarted(), ['/dev/vdb']);
    assert.ok((larger.partitions()[0]?.last ?? 0) > vdb.sectors, fail);
  }
});

test('the kernel must know a partition where its table has it', async () => {
  const { vdb, start } = await usedRack();
  const machine = await start();
  const moved = { ...(vdb.partitions()[0] ?? assert.fail()), first: 2 * 2048 };
  vdb.removePartition('/dev/vdb', 1);
  vdb.addPartition('/dev/vdb', moved);
  assert.match(
    messageOf(await settle(machine, [])) ?? '',
    /\/dev\/vdb: the kernel takes partition 1 to be elsewhere than its table says/,
  );
});

test('a creation that failed before the kernel knew the partition goes on in the same start', async () => {
  const { disks, start } = rack('/dev/vdb');
  const [vdb = assert.fail()] = disks;
  const machine = await start();
  const add = vdb.addPartition.bind(vdb);
  vdb.addPartition = () => {
    throw new Error('ioctl: ENOMEM');
  };
  await assert.rejects(settle(machine, ['/dev/vdb']), { message: 'disk /dev/vdb: ioctl: ENOMEM' });
  assert.deepEqual(labelsOf(vdb), ['EPHEMERAL.new']);
  vdb.addPartition = add;
  assert.equal((await settle(machine, [])).located?.device, '/dev/vdb1');
});
