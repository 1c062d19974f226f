import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherBytes } from './gather-bytes.ts';

async function* source(sizes: readonly number[], failure?: Error) {
  for (const [index, size] of sizes.entries()) yield { bytes: Buffer.alloc(size, index) };
  if (failure !== undefined) throw failure;
}

test('gatherBytes() joins small pieces to large ones, and yields the rest at the end', async () => {
  const sizes = Array.from({ length: 150 }, () => 1000);
  const gathered: Uint8Array[] = [];
  for await (const { bytes } of gatherBytes(source(sizes))) gathered.push(bytes);
  assert.deepEqual(
    gathered.map(({ length }) => length),
    [66_000, 66_000, 18_000],
  );
  const whole = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index)));
  assert.deepEqual(Buffer.concat(gathered), whole);
});

test('gatherBytes() yields the bytes before a failure', async () => {
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const { bytes } of gatherBytes(source([10, 20], new Error('gone')))) seen.push(bytes.length);
  }, /gone/);
  assert.deepEqual(seen, [30]);
});

test('gatherBytes() yields nothing for an empty stream', async () => {
  for await (const piece of gatherBytes(source([]))) assert.fail(`a piece of ${piece.bytes.length} bytes`);
});
