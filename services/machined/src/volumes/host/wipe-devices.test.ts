// Files stand in for the devices.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeTable, encodeTable, partitionTypes } from '@nodewright/disk';
import type { NativeCalls } from '@nodewright/linux';
import type { DeviceWipe } from '../domain/plan-device-wipes.ts';
import { createBlockPort } from './block-port.ts';
import { dropPartition } from './drop-partition.ts';
import { wipeDevices } from './wipe-devices.ts';

const folder = mkdtempSync(join(tmpdir(), 'wipe-'));
after(() => rmSync(folder, { recursive: true }));
const mib = 1 << 20;
const never = new AbortController().signal;
const port = createBlockPort({} as NativeCalls);

/** The effects on the kernel, in their order. */
function rig(more: Partial<Parameters<typeof wipeDevices>[0]['port']> = {}) {
  const told: string[] = [];
  const kernel = {
    ...port,
    removePartition: (disk: string, number: number) => void told.push(`remove ${disk} ${number}`),
    announceChange: async (sysPath: string) => void told.push(`changed ${sysPath}`),
    ...more,
  };
  return {
    told,
    init: {
      port: kernel,
      dropEntry: (entry: Parameters<typeof dropPartition>[1], forget: () => Promise<void>) =>
        dropPartition(port, entry, forget),
    },
  };
}

/** A device full of ones. */
function deviceOf(name: string, sizeBytes: number, more: Partial<DeviceWipe> = {}): DeviceWipe {
  const path = join(folder, name);
  writeFileSync(path, Buffer.alloc(sizeBytes, 1));
  return {
    name,
    path,
    sysPath: name,
    sizeBytes,
    method: 'fast',
    partitions: [],
    dropped: undefined,
    ...more,
  };
}

const onesOf = ({ path }: DeviceWipe) => readFileSync(path).filter((byte) => byte !== 0).length;

test('a fast wipe clears the first and the last MiB, and a device that is smaller', async () => {
  const [large, small] = [deviceOf('large', 5 * mib + 512), deviceOf('small', 4096)];
  const { told, init } = rig();
  await wipeDevices(init, [large, small], never);
  const left = readFileSync(large.path);
  assert.deepEqual([left.indexOf(1), left.lastIndexOf(1)], [mib, 4 * mib + 511]);
  assert.deepEqual([onesOf(large), onesOf(small)], [3 * mib + 512, 0]);
  assert.equal(left.length, 5 * mib + 512);
  assert.deepEqual(told, ['changed large', 'changed small']);
});

test('a wipe with zeroes overwrites everything, and the partitions of a disk are forgotten', async () => {
  const disk = deviceOf('disk', 70 * mib + 512, { method: 'zeroes', partitions: [1, 3] });
  const { told, init } = rig();
  await wipeDevices(init, [disk], never);
  assert.deepEqual([onesOf(disk), readFileSync(disk.path).length], [0, 70 * mib + 512]);
  assert.deepEqual(told, ['changed disk', `remove ${disk.path} 1`, `remove ${disk.path} 3`]);
});

test('a wipe ends with its call, and says how far it came', async () => {
  const disk = deviceOf('long', 20 * mib, { method: 'zeroes' });
  const call = new AbortController();
  let writes = 0;
  const { told, init } = rig({
    async openExclusive(path) {
      const device = await port.openExclusive(path);
      return {
        ...device,
        async write(at, bytes) {
          writes += 1;
          if (writes === 3) call.abort();
          await device.write(at, bytes);
        },
      };
    },
  });
  await assert.rejects(wipeDevices(init, [disk], call.signal), {
    kind: 'cancelled',
    message: `the wipe of block device "long" ended at byte ${3 * mib} of ${20 * mib}`,
  });
  assert.deepEqual([onesOf(disk), told], [17 * mib, ['changed long']]);
});

test('nothing is changed when one of the devices is in use, read-only or broken', async () => {
  for (const [code, kind, message] of [
    ['EBUSY', 'failed-precondition', /"second" is in use: it is mounted, another device is built on it/],
    ['EROFS', 'failed-precondition', /"second" is read-only$/],
    ['EIO', 'internal', /"second": /],
  ] as const) {
    const [first, second] = [deviceOf('first', mib), deviceOf('second', mib)];
    const { told, init } = rig({
      async openExclusive(path) {
        if (path === second.path) throw Object.assign(new Error(code), { code });
        return port.openExclusive(path);
      },
    });
    await assert.rejects(wipeDevices(init, [first, second], never), { kind, message });
    assert.deepEqual([onesOf(first), onesOf(second), told], [mib, mib, []]);
  }
});

/** A disk with the partitions 1 and 2 of 1 MiB each, and their devices. */
function partitioned(name: string) {
  const sectors = 8 * 2048;
  const entry = (number: number) => ({
    ...{ number, type: partitionTypes.linux, guid: `11111111-2222-4333-8444-55555555555${number}` },
    ...{ label: `p${number}`, first: number * 2048, last: number * 2048 + 2047 },
  });
  const disk = deviceOf(name, sectors * 512);
  const guid = '11111111-2222-4333-8444-555555555555';
  const { head, tail } = encodeTable({ guid, partitions: [entry(1), entry(2)] }, sectors);
  const bytes = Buffer.alloc(sectors * 512);
  head.copy(bytes);
  tail.copy(bytes, bytes.length - tail.length);
  writeFileSync(disk.path, bytes);
  const dropped = (number: number) => ({
    ...{ disk: disk.path, diskBytes: disk.sizeBytes, number },
    ...{ offsetBytes: number * mib, sizeBytes: mib },
  });
  const numbers = () => decodeTable(readFileSync(disk.path))?.partitions.map(({ number }) => number);
  return { disk, dropped, numbers };
}

test('the entry of a partition is deleted from the table, and the kernel is told after its device was closed', async () => {
  const { disk, dropped, numbers } = partitioned('table');
  const part = deviceOf('table2', mib, { dropped: dropped(2) });
  let attempts = 0;
  const { told, init } = rig({
    removePartition(path, number) {
      attempts += 1;
      if (attempts < 3) throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      told.push(`remove ${path} ${number}`);
    },
  });
  await wipeDevices(init, [part], never);
  assert.deepEqual([onesOf(part), numbers(), told], [0, [1], ['changed table2', `remove ${disk.path} 2`]]);
});

test('an entry that cannot be deleted leaves the partition as it was', async () => {
  const { dropped, numbers } = partitioned('strange');
  const unknown = deviceOf('strange7', mib, { dropped: dropped(7) });
  const { init } = rig();
  await assert.rejects(wipeDevices(init, [unknown], never), {
    kind: 'failed-precondition',
    message: /strange has no partition 7$/,
  });
  const plain = deviceOf('plain', 8 * mib);
  const without = deviceOf('plain1', mib, { dropped: { ...dropped(1), disk: plain.path } });
  await assert.rejects(wipeDevices(init, [without], never), {
    kind: 'failed-precondition',
    message: /plain has no GPT partition table that can be changed$/,
  });
  assert.deepEqual([onesOf(unknown), onesOf(without), numbers()], [mib, mib, [1, 2]]);
});

test('an entry is deleted only while it is that of the partition which was wiped', async () => {
  const strangers = [
    ['another place', { offsetBytes: 3 * mib }],
    ['another size', { sizeBytes: 2 * mib }],
  ] as const;
  for (const [what, facts] of strangers) {
    const { disk, dropped, numbers } = partitioned('other');
    const part = deviceOf('other2', mib, { dropped: { ...dropped(2), ...facts } });
    const before = readFileSync(disk.path);
    await assert.rejects(
      wipeDevices(rig().init, [part], never),
      { kind: 'failed-precondition', message: /other has another partition 2 than the kernel knows/ },
      what,
    );
    assert.deepEqual([onesOf(part), numbers(), readFileSync(disk.path).equals(before)], [mib, [1, 2], true]);
  }
  // The number goes to another partition while the first one is wiped.
  const { disk, dropped, numbers } = partitioned('reused');
  const part = deviceOf('reused2', mib, { dropped: dropped(2) });
  const { init } = rig({
    async openExclusive(path) {
      const bytes = readFileSync(disk.path);
      const table = decodeTable(bytes) ?? assert.fail();
      const partitions = table.partitions.map((one) =>
        one.number === 2 ? { ...one, guid: '22222222-2222-4333-8444-555555555555' } : one,
      );
      encodeTable({ ...table, partitions }, 8 * 2048).head.copy(bytes);
      writeFileSync(disk.path, bytes);
      return port.openExclusive(path);
    },
  });
  await assert.rejects(wipeDevices(init, [part], never), { message: /reused has another partition 2 now/ });
  assert.deepEqual(numbers(), [1, 2]);
});

test('the kernel forgets a partition before its entry is deleted, and in the same turn', async () => {
  const { disk, dropped, numbers } = partitioned('turn');
  const part = deviceOf('turn2', mib, { dropped: dropped(2) });
  const steps: string[] = [];
  const { init } = rig({
    removePartition: (path, number) => void steps.push(`remove ${path} ${number} of ${numbers()}`),
  });
  await wipeDevices(
    {
      ...init,
      async dropEntry(entry, forget) {
        await dropPartition(port, entry, forget);
        steps.push(`turn ends with ${numbers()}`);
      },
    },
    [part],
    never,
  );
  assert.deepEqual(steps, [`remove ${disk.path} 2 of 1,2`, 'turn ends with 1']);
});

test('a partition that somebody has mounted since it was wiped keeps its entry', async () => {
  const { dropped, numbers } = partitioned('mounted');
  const entry = { ...dropped(2), sectors: 8 * 2048 };
  const forget = () => Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }));
  await assert.rejects(dropPartition(port, entry, forget), { code: 'EBUSY' });
  assert.deepEqual(numbers(), [1, 2]);
});

test('an entry is deleted from the copy of a table that is not whole, and the table is whole again', async () => {
  for (const at of [512 + 60, 1024 + 5]) {
    const { disk, dropped, numbers } = partitioned('broken');
    const bytes = readFileSync(disk.path);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(disk.path, bytes);
    assert.equal(numbers(), undefined);
    const part = deviceOf('broken2', mib, { dropped: dropped(2) });
    await wipeDevices(rig().init, [part], never);
    assert.deepEqual([onesOf(part), numbers()], [0, [1]]);
  }
});

test('the copy of a table counts only on a disk whose MBR says that it has one', async () => {
  const { disk, dropped } = partitioned('stale');
  const bytes = readFileSync(disk.path);
  bytes.fill(0, 512, 1024);
  // The type of a partition of Linux in a table of the old kind.
  bytes.writeUInt8(0x83, 446 + 4);
  writeFileSync(disk.path, bytes);
  const part = deviceOf('stale2', mib, { dropped: dropped(2) });
  await assert.rejects(wipeDevices(rig().init, [part], never), { kind: 'failed-precondition' });
  assert.ok(readFileSync(disk.path).equals(bytes));
});
