import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SlotChoice } from '../loader/boot-state.ts';
import { choiceEnvironment, slotChoiceIn } from './choice-variables.ts';
import {
  encodeEnvironmentBlock,
  environmentBlockBytes,
  environmentBytes,
  parseEnvironmentBlock,
} from './environment-block.ts';

const signature = '# GRUB Environment Block\n';
/** A block as GRUB writes it. */
const block = (text: string) => Buffer.from((signature + text).padEnd(environmentBlockBytes, '#'), 'latin1');
const read = (bytes: Uint8Array) => Object.fromEntries(parseEnvironmentBlock(bytes));

const anyChoice = fc
  .tuple(fc.constantFrom('A', 'B', undefined), fc.constantFrom('A', 'B', undefined))
  .map(([byDefault, once]) => ({ default: byDefault, once }) as SlotChoice);

test('a block has the bytes of GRUB, and all variables are in its first sector', () => {
  const bytes = encodeEnvironmentBlock(choiceEnvironment({ default: 'A', once: 'B' }));
  assert.deepEqual(bytes, block('saved_entry=A\nnext_entry=B\n'));
  assert.equal(bytes.length, 1024);
  assert.ok(bytes.subarray(environmentBytes).every((byte) => byte === 0x23));
});

test('a choice reads as it was written', () => {
  fc.assert(
    fc.property(anyChoice, (choice) => {
      const bytes = encodeEnvironmentBlock(choiceEnvironment(choice));
      assert.deepEqual(slotChoiceIn(parseEnvironmentBlock(bytes)), choice);
    }),
  );
});

test('a power cut at any sector leaves the old or the new choice', () => {
  fc.assert(
    fc.property(anyChoice, anyChoice, fc.nat(3), (before, next, sectors) => {
      const disk = encodeEnvironmentBlock(choiceEnvironment(before));
      const written = encodeEnvironmentBlock(choiceEnvironment(next));
      for (const [index, at] of [0, 512].entries())
        if ((sectors & (1 << index)) !== 0) written.copy(disk, at, at, at + 512);
      const found = slotChoiceIn(parseEnvironmentBlock(disk));
      assert.deepEqual(found, (sectors & 1) === 0 ? before : next);
    }),
  );
});

test('variables read as GRUB writes them: with escapes, empty, among comments', () => {
  assert.deepEqual(read(block('a=b\\\\c\nd=\n# comment\ne=1=2\nf=x\\\ny\n')), {
    ...{ a: 'b\\c', d: '', e: '1=2' },
    f: 'x\ny',
  });
  assert.deepEqual(read(block('')), {});
  // The second sector is the end of a comment, whatever it holds.
  assert.deepEqual(read(Buffer.from(block('a=1\n')).fill('x', 512)), { a: '1' });
  assert.deepEqual(read(block('a=1\na=2\n')), { a: '2' });
  assert.deepEqual(
    slotChoiceIn(
      new Map([
        ['saved_entry', 'C'],
        ['next_entry', ''],
      ]),
    ),
    {
      default: undefined,
      once: undefined,
    },
  );
});

test('a damaged block counts as empty', () => {
  const good = block('saved_entry=B\n');
  const damaged = [
    Buffer.alloc(0),
    Buffer.alloc(environmentBlockBytes),
    Buffer.alloc(environmentBlockBytes, 0xff),
    good.subarray(0, 1023),
    Buffer.concat([good, good]),
    Buffer.from(good).fill(0, 0, 512),
    Buffer.from(good).fill('\n', 512),
    block('saved_entry=B\nnext_entry\n'),
    block('saved_entry=B\n=A\n'),
    block('saved_entry=B\n\n'),
    Buffer.from(`${signature}saved_entry=${'B'.repeat(2000)}`.slice(0, 1024)),
    Buffer.from(`${signature}saved_entry=B\nnext_entry=A\\`.padEnd(1024, '\\')),
  ];
  for (const bytes of damaged) assert.deepEqual(read(bytes), {}, bytes.toString('latin1').slice(0, 80));
});

test('every sequence of bytes can be read', () => {
  const bytes = fc.uint8Array({ maxLength: environmentBlockBytes });
  fc.assert(
    fc.property(bytes, (given) => {
      parseEnvironmentBlock(given);
      const whole = block('');
      whole.set(given.subarray(0, environmentBlockBytes - signature.length), signature.length);
      for (const [name, value] of parseEnvironmentBlock(whole)) assert.ok(name.length + value.length < 1024);
    }),
  );
});

test('variables that GRUB cannot keep, or that need a second sector, are refused', () => {
  const encode = (name: string, value: string) => encodeEnvironmentBlock(new Map([[name, value]]));
  encode('x', 'v'.repeat(environmentBytes - signature.length - 3));
  assert.throws(() => encode('x', 'v'.repeat(environmentBytes - signature.length - 2)), {
    kind: 'resource-exhausted',
  });
  for (const [name, value] of [
    ['', 'v'],
    ['#', 'v'],
    ['a b', 'v'],
    ['a=', 'v'],
    ['a', 'x\ny'],
    ['a', 'é'],
    ['a', '\0'],
  ])
    assert.throws(() => encode(name ?? '', value ?? ''), { kind: 'invalid-argument' });
  assert.deepEqual(read(encode('x', 'a\\b\\')), { x: 'a\\b\\' });
});
