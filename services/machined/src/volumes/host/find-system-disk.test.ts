import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import type { BlockPort } from './block-port.ts';
import { findSystemDisk } from './find-system-disk.ts';

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
