import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture } from './fixture.ts';
import { parseMeminfo } from './parse-meminfo.ts';

test("parseMeminfo() reads every line of a real file under the kernel's name", () => {
  const text = fixture('meminfo-x86_64.txt');
  const numbers = parseMeminfo(text);
  assert.equal(numbers.size, text.trim().split('\n').length);
  assert.deepEqual(
    ['MemTotal', 'Active(anon)', 'NFS_Unstable', 'HugePages_Total', 'DirectMap1G'].map((key) =>
      numbers.get(key),
    ),
    [
      24684084n,
      ...['Active(anon)', 'NFS_Unstable', 'HugePages_Total', 'DirectMap1G'].map((key) =>
        BigInt(
          (
            new RegExp(`^${key.replace(/[()]/g, '\\$&')}: *(\\d+)`, 'm').exec(text) as RegExpExecArray
          )[1] as string,
        ),
      ),
    ],
  );
});

test('parseMeminfo() reads any printed number, with and without a unit', () => {
  const name = fc.stringMatching(/^[A-Z][A-Za-z_]{0,20}(\([a-z]+\))?$/);
  const row = fc.record({ value: fc.bigInt(0n, 2n ** 64n - 1n), hasUnit: fc.boolean() });
  fc.assert(
    fc.property(fc.dictionary(name, row, { noNullPrototype: true }), (rows) => {
      const text = Object.entries(rows)
        .map(([key, { value, hasUnit }]) => `${key}:${String(value).padStart(12)}${hasUnit ? ' kB' : ''}\n`)
        .join('');
      assert.deepEqual(
        Object.fromEntries(parseMeminfo(text)),
        Object.fromEntries(Object.entries(rows).map(([key, { value }]) => [key, value])),
      );
    }),
  );
});

test('parseMeminfo() ignores lines in another format', () => {
  assert.deepEqual(
    [...parseMeminfo('MemTotal: 1 kB\nMemFree: many kB\n: 3 kB\nHalf: 1.5 kB\n\n')],
    [['MemTotal', 1n]],
  );
});
