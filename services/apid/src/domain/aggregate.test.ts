import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Empty, EmptyResponse, Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { MemoryResponse } from '@nodewright/contract/gen/machine/machine.ts';
import fc from 'fast-check';
import { hostnameSuffix, streamFailure, unaryEntry, unaryFailure } from './aggregate.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test("unaryEntry() appends the target's name to the entry", () => {
  assert.deepEqual(
    Buffer.from(unaryEntry(hex('0a 08 12 06 66 6f 6f 62 61 72'), '127.0.0.1')),
    hex('0a 15 12 06 66 6f 6f 62 61 72 0a 0b 0a 09 31 32 37 2e 30 2e 30 2e 31'),
  );
});

/**
 * Decodes the metadata as a parser that merges repeated fields does; the generated decoder keeps only the
 * last field.
 */
function mergedMetadata(message: Uint8Array): Metadata {
  const reader = new BinaryReader(message);
  const parts: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) parts.push(reader.bytes());
    else reader.skip(tag & 7);
  }
  return Metadata.decode(Buffer.concat(parts));
}

test('unaryEntry() parts form one message and keep an error that the target reported itself', () => {
  const answer = (freeKb: bigint, error: string) =>
    MemoryResponse.encode(
      MemoryResponse.fromPartial({
        messages: [{ metadata: { error }, meminfo: { memfree: freeKb } }],
      }),
    ).finish();
  const joint = Buffer.concat([
    unaryEntry(answer(7n, ''), 'node02'),
    unaryFailure('node03', { code: 14, message: 'gone', details: undefined }),
    unaryEntry(answer(9n, 'half of it'), 'node01'),
  ]);
  const memfree = MemoryResponse.decode(joint).messages.map(({ meminfo }) => meminfo?.memfree);
  assert.deepEqual(memfree, [7n, undefined, 9n]);

  const reader = new BinaryReader(joint);
  const metadata: Metadata[] = [];
  while (reader.pos < reader.len) {
    assert.equal(reader.uint32(), 0x0a);
    metadata.push(mergedMetadata(reader.bytes()));
  }
  assert.deepEqual(
    metadata.map(({ hostname, error, status }) => [hostname, error, status?.code]),
    [
      ['node02', '', undefined],
      ['node03', 'rpc error: code = Unavailable desc = gone', 14],
      ['node01', 'half of it', undefined],
    ],
  );
});

test('unaryEntry() keeps fields of an entry that it does not know', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ minLength: 1 }), (payload, hostname) => {
      // Field 2 of the entry, which common.Empty does not have.
      const body = Buffer.concat([Buffer.from([0x12]), varint(payload.length), payload]);
      const entry = unaryEntry(Buffer.concat([Buffer.from([0x0a]), varint(body.length), body]), hostname);
      const [message, ...others] = EmptyResponse.decode(entry).messages;
      assert.deepEqual([others.length, message?.metadata?.hostname], [0, hostname.toWellFormed()]);
      assert.ok(Buffer.from(entry).includes(body));
    }),
  );
});

function varint(value: number): Uint8Array {
  return value < 128 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
}

test('unaryEntry() rejects answers of another shape and names the problem', () => {
  const rows: [string, string][] = [
    ['', 'unexpected message format: no entry in messages'],
    ['12 01 61', 'unexpected message format: 18'],
    ['08 01', 'unexpected message format: 8'],
    ['0a', 'unexpected message format: the entry in messages is truncated'],
    ['0a 05 12 01 61', 'unexpected message format: the entry in messages is truncated'],
    ['0a ff ff ff ff ff 01', 'unexpected message format: the entry in messages is truncated'],
    ['0a 00 0a 00', 'unexpected message format: more than one entry in messages'],
    ['80 80 80 80 80 80', 'unexpected message format: no entry in messages'],
  ];
  for (const [bytes, message] of rows) {
    assert.throws(() => unaryEntry(hex(bytes), 'node02'), { kind: 'unknown', message });
  }
});

test("hostnameSuffix() adds the node's name to a message and keeps the other metadata", () => {
  const own = Empty.encode({ metadata: Metadata.fromPartial({ error: 'no such file' }) }).finish();
  const { hostname, error } = mergedMetadata(Buffer.concat([own, hostnameSuffix('node02')]));
  assert.deepEqual([hostname, error], ['node02', 'no such file']);
});

test("a failure carries the target's own status with its details", () => {
  const details = Status.encode(
    Status.fromPartial({ code: 7, message: 'not authorized', details: [{ typeUrl: 'type.example/x' }] }),
  ).finish();
  const { metadata } = Empty.decode(streamFailure('node02', { code: 7, message: 'not authorized', details }));
  assert.deepEqual(
    [metadata?.hostname, metadata?.error, metadata?.status?.code, metadata?.status?.details.length],
    ['node02', 'rpc error: code = PermissionDenied desc = not authorized', 7, 1],
  );
});

test('a failure with details that cannot be decoded keeps its code and text', () => {
  const details = hex('0a ff');
  const { metadata } = Empty.decode(streamFailure('node02', { code: 5, message: 'no', details }));
  assert.deepEqual([metadata?.status?.code, metadata?.status?.message], [5, 'no']);
});
