import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedCalls } from '@nodewright/linux';
import type { DiskSpec } from '@nodewright/state/kinds';
import { chooseInstallDisk } from '../domain/install-disk.ts';
import { readInstallDisks } from './read-install-disks.ts';

const stick = {
  ...{ dev_path: '/dev/sda', symlinks: [], size: 64e9, sector_size: 512, readonly: false, cdrom: false },
  ...{ model: 'stick', serial: '' },
} as unknown as DiskSpec;
const uses = () => [
  { path: '/dev/sda', disk: '', members: [], mountPoint: undefined },
  { path: '/dev/sda2', disk: '/dev/sda', members: [], mountPoint: undefined },
];
const port = { read: async (_path: string, _at: number, bytes: number) => Buffer.alloc(bytes, 1) };

test('the medium that the machine was started from is never installed on, although nothing has it mounted', async () => {
  for (const medium of ['/dev/sda', '/dev/sda2']) {
    const disks = await readInstallDisks([stick], {
      port,
      bounded: createBoundedCalls({ limit: 1 }),
      medium,
      uses,
    });
    for (const wish of [
      { disk: '/dev/sda', selection: undefined },
      { disk: '', selection: { selected: ['/dev/sda'] } },
    ]) {
      const choice = chooseInstallDisk({ ...wish, wipes: true }, disks, 4e9);
      assert.match('refusal' in choice ? choice.refusal : choice.disk.path, /started from|no disk matched/);
    }
  }
});
