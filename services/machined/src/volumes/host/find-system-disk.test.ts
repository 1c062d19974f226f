import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import type { BlockPort } from './block-port.ts';
import { findSystemDisk } from './find-system-disk.ts';
import { otherPlaces } from './other-disks.ts';

const mib = 1 << 20;

/** A machine whose disks have these contents. */
function machine(contents: Readonly<Record<string, EmulatedDisk>>) {
  const warnings: object[] = [];
  const port = {
    read: async (device: string, at: number, bytes: number) =>
      contents[device]?.bytes.subarray(at, at + bytes) ?? assert.fail(`${device} is read`),
  } as unknown as BlockPort;
  const disks = Object.keys(contents).map((devicePath) => ({
    ...{ name: devicePath.slice('/dev/'.length), devicePath },
    ...{ sizeBytes: BigInt(16 * mib), sectorBytes: 512 },
  }));
  return {
    find: async (started?: string) => {
      const log = { warn: (facts: object) => void warnings.push(facts) };
      return (await findSystemDisk(port, disks, log as never, started))?.path;
    },
    warnings,
  };
}

const empty = () => {
  const disk = new EmulatedDisk(16);
  disk.bytes.fill(0);
  return disk;
};

test('findSystemDisk() takes the disk that the machine was started from, wherever it is', async () => {
  const { find, warnings } = machine({ '/dev/vda': new EmulatedDisk(16), '/dev/vdb': new EmulatedDisk(16) });
  assert.equal(await find('/dev/vda'), '/dev/vda');
  assert.equal(await find('/dev/vdb'), '/dev/vdb');
  assert.deepEqual(warnings, [
    { used: '/dev/vda', ignored: ['/dev/vdb'] },
    { used: '/dev/vdb', ignored: ['/dev/vda'] },
  ]);
  assert.equal(await find(), '/dev/vda');
});

test('findSystemDisk() takes no other disk when that one has no META', async () => {
  const { find } = machine({ '/dev/vda': new EmulatedDisk(16), '/dev/vdb': empty() });
  assert.equal(await find('/dev/vdb'), undefined);
  assert.equal(await find('/dev/vdc'), undefined);
});

test('otherPlaces() has the disks that can hold volumes, with what tells two paths to one disk apart from two disks', () => {
  const disk = { sizeBytes: 8n << 20n, sectorBytes: 512, kind: 'ssd' as const, isReadOnly: false };
  const named = (name: string, changes: object = {}) => ({
    ...{ ...disk, name, devicePath: `/dev/${name}`, wwid: '', serial: '', model: '' },
    ...changes,
  });
  const disks = [
    ...[named('vda'), named('vdb'), named('loop0'), named('dm-0'), named('sdz', { sizeBytes: 0n })],
    ...[named('sda', { sectorBytes: 4096 }), named('sr0', { kind: 'cd' })],
    ...[named('sdb', { isReadOnly: true, wwid: 'naa.5' }), named('sdc', { serial: '7', model: 'Disk' })],
  ];
  const place = (path: string, identity = '', isReadOnly = false) => ({
    ...{ path, sectors: 16_384, isReadOnly, identity },
  });
  assert.deepEqual(otherPlaces(disks, '/dev/vda'), [
    ...[place('/dev/vdb'), place('/dev/sdb', 'naa.5', true), place('/dev/sdc', 'Disk 7')],
  ]);
});
