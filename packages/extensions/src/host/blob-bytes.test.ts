import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { decompressionOf, verifiedBytes } from './blob-bytes.ts';

const compressions = { [mediaTypes.gzipLayer]: gzipSync, [mediaTypes.zstdLayer]: zstdCompressSync };
const content = Buffer.from('the content of a layer');

/** Arrives slowly, as from a network: the decompressor has seen each piece before the next one comes. */
async function* slowly(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }
}

/** The decompressed layer, of which these pieces arrive. */
async function read(mediaType: string, pieces: readonly Uint8Array[], digest: string): Promise<string> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const decompress = decompressionOf(mediaType);
  assert.ok(decompress !== undefined);
  const found = await Array.fromAsync(decompress(verifiedBytes(slowly(pieces), { mediaType, digest, size })));
  return Buffer.concat(found).toString();
}

for (const [mediaType, compress] of Object.entries(compressions)) {
  const packed = compress(content);

  test(`${mediaType}: a layer is compared with its digest also when its compressed content ends early`, async () => {
    const other = digestOf(Buffer.from('what was signed'));
    for (const pieces of [
      [packed],
      [Buffer.concat([packed, Buffer.alloc(100)])],
      [packed, Buffer.alloc(200_000), Buffer.alloc(100)],
    ])
      await assert.rejects(read(mediaType, pieces, other), { kind: 'data-loss', message: /was changed/ });
  });

  test(`${mediaType}: zeros behind the compressed content are left out when the digest has them`, async () => {
    const pieces = [Buffer.concat([packed, Buffer.alloc(100)]), Buffer.alloc(200_000)];
    assert.equal(await read(mediaType, pieces, digestOf(Buffer.concat(pieces))), content.toString());
  });
}
