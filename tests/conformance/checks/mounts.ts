import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { machine } from '../wire/methods.ts';
import { only } from './expect.ts';

export const mountChecks = checksOf(machine.mounts, {
  'mounts.lines': [
    'the rows are the lines of /proc/mounts in the same order, with escapes unchanged',
    async (subject) => {
      const { stats } = only(await subject.admin.unary(machine.mounts, {}));
      const lines = (await subject.readFile('/proc/mounts')).toString().trimEnd().split('\n');
      assert.deepEqual(
        stats.map(({ filesystem, mountedOn }) => `${filesystem} ${mountedOn}`),
        lines.map((line) => line.split(' ').slice(0, 2).join(' ')),
      );
    },
  ],
  'mounts.sizes': [
    'sizes are in bytes, available is at most size, and a file system without blocks has 0',
    async ({ admin }) => {
      const { stats } = only(await admin.unary(machine.mounts, {}));
      assert.ok(stats.every(({ size, available }) => available <= size));
      assert.ok(
        stats.some(({ size }) => size > 1_000_000n),
        'no mount has a size in bytes',
      );
      const proc = stats.find(({ mountedOn }) => mountedOn === '/proc');
      assert.equal(proc?.size ?? 0n, 0n);
    },
  ],
});
