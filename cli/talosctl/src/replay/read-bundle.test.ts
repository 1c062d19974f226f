import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { type Zippable, zipSync } from 'fflate';
import { bundleLimits } from './bundle-limits.ts';
import { readBundle } from './read-bundle.ts';

const text = (content: string) => Buffer.from(content);
const refusedWith = (pattern: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === 'invalid-argument' && pattern.test(error.message);

test('readBundle() sorts the files of an archive by node', () => {
  const { nodes, about } = readBundle(
    zipSync({
      'support.json': text('{}'),
      'node01/a/b': text('1'),
      'node02/c': text('2'),
      'node01/a/': text(''),
    }),
  );
  assert.equal(Buffer.from(about ?? []).toString(), '{}');
  const shown = [...nodes].map(([name, files]) => [
    name,
    [...files].map(([path, bytes]) => `${path} ${bytes.length}`),
  ]);
  assert.deepEqual(shown, [
    ['node01', ['a/b 1']],
    ['node02', ['c 1']],
  ]);
});

const hostile: readonly [string, Uint8Array, RegExp][] = [
  ['text', text('no zip'), /is no zip archive/],
  ['nothing', new Uint8Array(), /is no zip archive/],
  ['no node', zipSync({ 'support.json': text('{}') }), /has no folder of a node/],
  ...['../node01/x', 'node01/../../x', '/etc/passwd', 'node01/a\\b', 'node01/\u001b[2J', 'node01/a\nb'].map(
    (name): [string, Uint8Array, RegExp] => [
      name,
      zipSync({ [name]: text('x') }),
      /has a file with the name/,
    ],
  ),
  ['a long name', zipSync({ [`n/${'x'.repeat(2000)}`]: text('x') }), /has a file with the name/],
  [
    'a bomb',
    zipSync({ 'node01/zeros': Buffer.alloc(8 << 20) }, { level: 9 }),
    /times larger than its compressed form/,
  ],
  ['many files', zipSync(manyFiles(bundleLimits.entries + 1), { level: 0 }), /has more than 20000 files/],
  ['many nodes', zipSync(manyNodes(bundleLimits.nodes + 1), { level: 0 }), /has more than 1000 nodes/],
  [
    'a wrong size',
    withSize(zipSync({ 'node01/x': text('x') }), 0x7fff_ffff),
    /has a file of 2147483647 bytes/,
  ],
  ['the same name twice', twice(), /twice/],
];

for (const [name, bytes, pattern] of hostile)
  test(`readBundle() refuses an archive with ${JSON.stringify(name.slice(0, 30))}`, () => {
    assert.throws(() => readBundle(bytes), refusedWith(pattern));
  });

function manyFiles(count: number): Zippable {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n/${index}`, text('')]));
}

function manyNodes(count: number): Zippable {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}/x`, text('')]));
}

function withSize(bytes: Uint8Array, size: number): Uint8Array {
  const changed = Buffer.from(bytes);
  // The directory of an archive begins with this mark; 24 bytes later is the size that it claims.
  changed.writeUInt32LE(size, changed.indexOf('PK\u0001\u0002', 'latin1') + 24);
  return changed;
}

/** Two files whose names differ until one of them is changed. */
function twice(): Uint8Array {
  const bytes = Buffer.from(zipSync({ 'n/aa': text('1'), 'n/ab': text('2') }, { level: 0 }));
  return Buffer.from(bytes.toString('latin1').replaceAll('n/ab', 'n/aa'), 'latin1');
}

test('readBundle() gives an archive or refuses it, whatever bytes of it are changed', () => {
  const good = zipSync({
    'node01/a': text('hello '.repeat(50)),
    'node01/b': text('x'),
    'support.json': text('{}'),
  });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(good.length),
      (changes, cut) => {
        const bytes = Uint8Array.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        for (const each of [bytes, bytes.subarray(0, cut)]) {
          try {
            readBundle(each);
          } catch (error) {
            assert.ok(error instanceof Fault && error.kind === 'invalid-argument', String(error));
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
});
