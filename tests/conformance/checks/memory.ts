import assert from 'node:assert/strict';
import type { MemInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { only } from './expect.ts';

/** Lines of /proc/meminfo that do not change between two reads. */
const steady = ['MemTotal', 'SwapTotal', 'HugePages_Total', 'Hugepagesize', 'VmallocTotal', 'CommitLimit'];

/** `HugePages_Total` is the field `hugepagestotal`, `Active(anon)` is `activeanon`. */
const fieldOf = (line: string) => line.toLowerCase().replaceAll(/[_()]/g, '');

async function meminfoOf({ admin }: Subject): Promise<MemInfo> {
  const { meminfo } = only(await admin.unary(machine.memory, {}));
  assert.ok(meminfo !== undefined, 'meminfo is missing, but clients read it without a check');
  return meminfo;
}

async function meminfoFile(subject: Subject): Promise<Map<string, bigint>> {
  const text = (await subject.readFile('/proc/meminfo')).toString();
  const lines = text.matchAll(/^(\S+):\s+(\d+)/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, BigInt(value)]));
}

export const memoryChecks = checksOf(machine.memory, {
  'memory.sizes': [
    'free and available are at most total, which is in KiB',
    async (subject) => {
      const { memtotal, memfree, memavailable } = await meminfoOf(subject);
      const [mebibyte, petabyte] = [1024n, 1n << 40n];
      assert.ok(memtotal > 64n * mebibyte && memtotal < petabyte, `memtotal is ${memtotal}: not KiB`);
      assert.ok(memfree <= memtotal && memavailable <= memtotal, 'a part is larger than the whole');
    },
  ],
  'memory.kibibytes': [
    'the numbers equal those of /proc/meminfo: KiB, and counts for huge pages',
    async (subject) => {
      const [fields, file] = [await meminfoOf(subject), await meminfoFile(subject)];
      for (const name of steady) {
        const value = (fields as unknown as Record<string, bigint>)[fieldOf(name)];
        assert.equal(value, file.get(name) ?? 0n, name);
      }
    },
  ],
  'memory.absent': [
    'a field without a line in /proc/meminfo is 0',
    async (subject) => {
      const [fields, file] = [await meminfoOf(subject), await meminfoFile(subject)];
      const present = new Set([...file.keys()].map(fieldOf));
      const invented = Object.entries(fields).filter(([name, value]) => !present.has(name) && value !== 0n);
      assert.deepEqual(invented, []);
    },
  ],
  'memory.moving': [
    'values that change every second are close to those in /proc/meminfo',
    async (subject) => {
      const before = await meminfoFile(subject);
      const fields = await meminfoOf(subject);
      const after = await meminfoFile(subject);
      const slack = (before.get('MemTotal') ?? 0n) / 20n;
      for (const [name, value] of [
        ['MemFree', fields.memfree],
        ['MemAvailable', fields.memavailable],
        ['Cached', fields.cached],
        ['Active(anon)', fields.activeanon],
      ] as const) {
        const [low = 0n, high = 0n] = [before.get(name), after.get(name)].sort((a, b) =>
          Number((a ?? 0n) - (b ?? 0n)),
        );
        assert.ok(
          value >= low - slack && value <= high + slack,
          `${name}: ${value} is not close to the range ${low} to ${high}`,
        );
      }
    },
  ],
});
