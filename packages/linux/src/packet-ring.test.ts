import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PacketRing, packetsOfBlock } from './packet-ring.ts';

const blockBytes = 4096;

/** Writes packets into a block as the kernel does; each payload is 66 bytes after its header. */
function fillBlock(buffer: ArrayBuffer, block: number, payloads: readonly string[]): void {
  const view = new DataView(buffer, block * blockBytes, blockBytes);
  const bytes = new Uint8Array(buffer, block * blockBytes, blockBytes);
  view.setUint32(12, payloads.length, true);
  view.setUint32(16, 48, true);
  let at = 48;
  for (const [index, payload] of payloads.entries()) {
    const isLast = index === payloads.length - 1;
    view.setUint32(at, isLast ? 0 : 128, true);
    view.setUint32(at + 4, 1000 + index, true);
    view.setUint32(at + 8, 5, true);
    view.setUint32(at + 12, payload.length, true);
    view.setUint32(at + 16, payload.length + 7, true);
    view.setUint16(at + 24, 66, true);
    bytes.set(Buffer.from(payload), at + 66);
    at += 128;
  }
  view.setUint32(8, 1, true);
}

test('PacketRing reads block after block and returns each one to the kernel', () => {
  const buffer = new ArrayBuffer(2 * blockBytes);
  const ring = new PacketRing(buffer, blockBytes);
  const take = () =>
    ring.take()?.map(({ data, seconds, lengthBytes }) => [data.toString(), seconds, lengthBytes]);
  assert.equal(take(), undefined);
  fillBlock(buffer, 0, ['first', 'second']);
  fillBlock(buffer, 1, ['third']);
  assert.deepEqual(take(), [
    ['first', 1000, 12],
    ['second', 1001, 13],
  ]);
  assert.deepEqual(take(), [['third', 1000, 12]]);
  assert.equal(take(), undefined);
  fillBlock(buffer, 0, ['around']);
  assert.deepEqual(take(), [['around', 1000, 13]]);
});

test('packetsOfBlock() returns copies that later packets do not change', () => {
  const buffer = new ArrayBuffer(blockBytes);
  fillBlock(buffer, 0, ['first']);
  const [packet] = packetsOfBlock(new DataView(buffer));
  fillBlock(buffer, 0, ['xxxxx']);
  assert.equal(packet?.data.toString(), 'first');
});

test('packetsOfBlock() stays within the block, whatever its contents', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 512 }), fc.nat(100), (bytes, count) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      view.setUint32(12, count, true);
      view.setUint32(16, count, true);
      assert.ok(packetsOfBlock(view).every(({ data }) => data.length <= bytes.length));
    }),
  );
});
