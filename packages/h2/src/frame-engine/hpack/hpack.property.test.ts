import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPair, openRecordedCall } from '../../conformance/index.ts';
import { nodeEngine } from '../../node-engine/node-engine.ts';
import { ConnectionError } from '../connection-error.ts';
import { frameEngine } from '../frame-engine.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { encodedBound, HpackEncoder } from './hpack-encoder.ts';
import { decodeHuffman } from './huffman-decoder.ts';
import { encodeHuffman } from './huffman-encoder.ts';

const limits = { maxListBytes: 65_536, maxFields: 1000 };
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array).toString('latin1'));
const field = fc.tuple(
  fc.oneof(fc.constantFrom(':path', ':status', 'content-type', 'te', 'x-a'), bytes(40)),
  fc.oneof(fc.constantFrom('200', 'trailers', 'application/grpc', ''), bytes(300)),
);
const fieldList = fc.array(field, { maxLength: 20 }).map((fields) => fields.flat());

test('decodeHuffman() reverses the Huffman code of every string', () => {
  fc.assert(
    fc.property(bytes(6000), (text) => {
      const code = encodeHuffman(text);
      assert.equal(decodeHuffman(code, 0, code.length), text);
    }),
  );
});

test('HpackDecoder reverses HpackEncoder, block after block', () => {
  fc.assert(
    fc.property(fc.array(fieldList, { maxLength: 8 }), (blocks) => {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder(limits);
      for (const fields of blocks) {
        const bound = encodedBound(fields);
        const output = Buffer.alloc(bound + 3);
        const end = encoder.encode(fields, output, 3);
        assert.ok(end - 3 <= bound);
        assert.deepEqual(decoder.decode(output, 3, end).fields, fields);
      }
    }),
  );
});

test('HpackDecoder ends on any bytes with a bounded list or a COMPRESSION_ERROR', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 6 }), (blocks) => {
      const decoder = new HpackDecoder({ maxListBytes: 2000, maxFields: 20 });
      try {
        for (const block of blocks) {
          const { fields } = decoder.decode(Buffer.from(block), 0, block.length);
          const listBytes = fields.reduce((sum, text) => sum + text.length + 16, 0);
          assert.ok(listBytes <= 2000 && fields.length <= 40);
        }
      } catch (error) {
        assert.ok(error instanceof ConnectionError && error.code === 9, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('HpackDecoder reads what node:http2 writes, with its table and its Huffman codes', async () => {
  await using pair = await openPair({ server: frameEngine, client: nodeEngine }, (call) =>
    call.respond([':status', '200', ...call.headers.slice(12)], true),
  );
  const name = fc.stringMatching(/^x-[a-z0-9_.-]{1,30}$/);
  const value = fc.oneof(
    fc.stringMatching(/^[!-~][ -~]{0,100}[!-~]$/),
    // Mostly short codes, so that node:http2 chooses Huffman, and some bytes with long ones.
    fc
      .array(fc.integer({ min: 0x80, max: 0xff }), { maxLength: 5 })
      .map((codes) => `${'0'.repeat(60)}${String.fromCharCode(...codes)}${'1'.repeat(60)}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 12 }), async (fields) => {
      const extra = fields.flat();
      const { call, recorder } = openRecordedCall(pair.client, extra);
      call.end();
      assert.deepEqual((await recorder.done).headers, [':status', '200', ...extra]);
    }),
    { numRuns: 200 },
  );
  assert.deepEqual(pair.errors, []);
});
