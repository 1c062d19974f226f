import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageArguments, rootHashIn, slotIn } from './command-line.ts';
import { rootOfSlot } from './slot-files.ts';

const rootHash = 'ab'.repeat(32);

test('imageArguments() ends with the root hash, and always names the extensions', () => {
  assert.deepEqual(imageArguments({ slot: 'B', rootHash, extensions: [] }), [
    'nodewright.slot=B',
    'nodewright.extensions=',
    `nodewright.roothash=${rootHash}`,
  ]);
  assert.equal(
    imageArguments({ slot: 'A', rootHash, extensions: ['1', '2'] })[1],
    'nodewright.extensions=1,2',
  );
});

test('rootHashIn() finds the hash as a word of its own', () => {
  assert.equal(rootHashIn(`quiet nodewright.roothash=${rootHash}\n`), rootHash);
  for (const line of [
    '',
    'nodewright.roothash=',
    `x.nodewright.roothash=${rootHash}`,
    `nodewright.roothash=${rootHash}0`,
  ])
    assert.throws(() => rootHashIn(line), { kind: 'data-loss' }, line);
});

test('slotIn() is the last slot on the command line, and A without one', () => {
  const lines = ['', 'nodewright.slot=B ro', 'nodewright.slot=B nodewright.slot=A\n', 'nodewright.slot=C'];
  assert.deepEqual(lines.map(slotIn), ['A', 'B', 'A', 'A']);
});

test('rootOfSlot() has the files that the init looks for', () => {
  const [squashfs, hashTree] = [Buffer.from('s'), Buffer.from('t')];
  assert.deepEqual(rootOfSlot('B', { squashfs, hashTree, line: `nodewright.roothash=${rootHash}` }), {
    'B/rootfs.squashfs': squashfs,
    'B/rootfs.verity': hashTree,
    'B/roothash': Buffer.from(`${rootHash}\n`),
  });
});
