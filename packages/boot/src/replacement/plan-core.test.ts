import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bootCodeBytes, bootCodeFor, coreFor, diskSectorBytes } from '../grub/core-image.ts';
import { bootedCore, sectorWrites, writeSector } from '../testing/old-disk.ts';
import type { LoaderPlan } from './loader-step.ts';
import { planCore } from './plan-core.ts';

const biosFirst = 100;
const biosSectors = 64;
const oldCode = Buffer.alloc(bootCodeBytes, 'old');
const newCode = Buffer.alloc(bootCodeBytes, 'new');
const oldCore = Buffer.alloc(20 * diskSectorBytes - 7, 'core of before');
const newCore = Buffer.alloc(25 * diskSectorBytes - 7, 'another core');

/** A disk whose GRUB is at the beginning of the partition BIOS, with other bytes all around. */
function oldDisk(core = oldCore): Buffer {
  const disk = Buffer.alloc((biosFirst + biosSectors + 10) * diskSectorBytes, 'rest');
  bootCodeFor(oldCode, biosFirst).copy(disk);
  coreFor(core, biosFirst).copy(disk, biosFirst * diskSectorBytes);
  return disk;
}

const plan = (disk: Buffer, core = newCore): LoaderPlan =>
  planCore({
    sector0: disk.subarray(0, diskSectorBytes),
    ...{ biosFirst, bootCode: newCode, core },
    bios: disk.subarray(biosFirst * diskSectorBytes, (biosFirst + biosSectors) * diskSectorBytes),
  });

const stepsOf = (found: LoaderPlan) => ('steps' in found ? found.steps : assert.fail(found.refusal));
const bare = (core: Buffer) => coreFor(core, 0).fill(0, diskSectorBytes - 12, diskSectorBytes);

function follow(disk: Buffer, found: LoaderPlan): void {
  for (const step of stepsOf(found)) for (const write of sectorWrites(step)) writeSector(disk, write);
}

test('a BIOS starts the old GRUB or the new one as a whole, wherever the power fails', () => {
  assert.ok(bootedCore(oldDisk()).equals(bare(oldCore)));
  fc.assert(
    fc.property(fc.nat(1), fc.infiniteStream(fc.boolean()), (failsIn, isWritten) => {
      const disk = oldDisk();
      for (const [index, step] of stepsOf(plan(disk)).entries())
        for (const write of sectorWrites(step))
          if (index < failsIn || (index === failsIn && isWritten.next().value)) writeSector(disk, write);
      const found = bootedCore(disk);
      assert.ok(found.equals(bare(oldCore)) || found.equals(bare(newCore)));
      // The next attempt ends with the new one, whatever this one has left.
      follow(disk, plan(disk));
      assert.ok(bootedCore(disk).equals(bare(newCore)));
      assert.deepEqual(plan(disk), { steps: [] });
    }),
  );
});

test('sector 0 keeps what follows the boot code, and nothing outside of the partition BIOS changes', () => {
  const disk = oldDisk();
  const before = Buffer.from(disk);
  follow(disk, plan(disk));
  assert.ok(disk.subarray(0, bootCodeBytes).equals(bootCodeFor(newCode, biosFirst + biosSectors / 2)));
  for (const [from, end] of [
    [bootCodeBytes, (biosFirst + biosSectors / 2) * diskSectorBytes],
    [(biosFirst + biosSectors) * diskSectorBytes, disk.length],
  ] as const)
    assert.ok(disk.subarray(from, end).equals(before.subarray(from, end)));
});

test('a third GRUB is written over the first one', () => {
  const disk = oldDisk();
  follow(disk, plan(disk));
  follow(disk, plan(disk, oldCore));
  assert.ok(bootedCore(disk).equals(bare(oldCore)));
  assert.equal(disk.readBigUInt64LE(0x5c), BigInt(biosFirst));
});

test('a disk without room for a second GRUB, or with one in an unknown place, is left alone', () => {
  const large = Buffer.alloc(33 * diskSectorBytes, 'large');
  const elsewhere = oldDisk();
  bootCodeFor(oldCode, 34).copy(elsewhere);
  const refusals = [plan(oldDisk(), large), plan(oldDisk(large)), plan(elsewhere)].map((found) =>
    'refusal' in found ? found.refusal : 'none',
  );
  assert.deepEqual(refusals, [
    'GRUB has 16896 bytes, and half of the partition BIOS 16384',
    'the partition BIOS has no room for a second GRUB beside the one in use',
    'GRUB is in sector 34 of the disk, which is no place of it in the partition BIOS',
  ]);
});
