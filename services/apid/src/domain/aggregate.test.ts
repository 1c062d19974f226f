import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Empty, Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { MemoryResponse } from '@nodewright/contract/gen/machine/machine.ts';
import type { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { hostnameField, labelledEntry, streamFailure, unaryEntry, unaryFailure } from './aggregate.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test("unaryEntry() puts the target's name behind the fields of the entry", () => {
  assert.deepEqual(
    Buffer.from(unaryEntry(hex('0a 08 12 06 66 6f 6f 62 61 72'), '127.0.0.1')),
    hex('0a 15 12 06 66 6f 6f 62 61 72 0a 0b 0a 09 31 32 37 2e 30 2e 30 2e 31'),
  );
});

/** The metadata of an entry that has it once, as a parser of any language reads it. */
function onlyMetadata(entry: Uint8Array): Metadata {
  const found = fieldsOf(entry).filter(({ number }) => number === 1);
  assert.equal(found.length, 1);
  return Metadata.decode(found[0]?.value ?? new Uint8Array());
}

/** The fields of a message, read by another parser; an error when they do not end where the message ends. */
function fieldsOf(message: Uint8Array) {
  const reader = new BinaryReader(message);
  const fields: { number: number; value: Uint8Array; bytes: Buffer }[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const isBytes = (tag & 7) === 2;
    const value = isBytes ? reader.bytes() : new Uint8Array();
    if (!isBytes) reader.skip(tag & 7);
    fields.push({ number: tag >>> 3, value, bytes: Buffer.from(message.subarray(start, reader.pos)) });
  }
  return fields;
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

  const metadata = fieldsOf(joint).map(({ value }) => onlyMetadata(value));
  assert.deepEqual(
    metadata.map(({ hostname, error, status }) => [hostname, error, status?.code]),
    [
      ['node02', '', undefined],
      ['node03', 'rpc error: code = Unavailable desc = gone', 14],
      ['node01', 'half of it', undefined],
    ],
  );
});

const fieldBytes = (number: number, wireType: number, value: Uint8Array) =>
  Buffer.concat([varint(number * 8 + wireType), value]);
const lengthed = (bytes: Uint8Array) => Buffer.concat([varint(bytes.length), bytes]);
const payload = fc.uint8Array({ maxLength: 300 });
const foreignName = Metadata.encode(Metadata.fromPartial({ hostname: 'foreign' })).finish();

/** A field of any kind that is whole, also one that claims the name of another node. */
const wholeField = fc.oneof(
  fc
    .tuple(fc.integer({ min: 2, max: 2 ** 29 - 1 }), payload)
    .map(([n, bytes]) => fieldBytes(n, 2, lengthed(bytes))),
  fc
    .tuple(fc.integer({ min: 1, max: 2 ** 29 - 1 }), fc.nat())
    .map(([n, value]) => fieldBytes(n, 0, varint(value))),
  fc.integer({ min: 1, max: 4000 }).map((n) => fieldBytes(n, 1, Buffer.alloc(8, 0x0a))),
  fc.integer({ min: 1, max: 4000 }).map((n) => fieldBytes(n, 5, Buffer.alloc(4, 0x0a))),
  fc.constant(fieldBytes(1, 2, lengthed(foreignName))),
);
/** The same, or bytes that are no whole field, such as one that wants what apid writes behind it. */
const anyField = fc.oneof(
  { weight: 5, arbitrary: wholeField },
  { weight: 1, arbitrary: payload.map((bytes) => Buffer.from(bytes)) },
  fc.integer({ min: 1, max: 200 }).map((more) => fieldBytes(2, 2, varint(more))),
  fc.constantFrom(hex('0b'), hex('13 14'), hex('8a 80 80 80 10'), hex('02 00'), hex('16 00')),
);

test('unaryEntry() keeps every whole field of an entry, and replaces only its metadata', () => {
  fc.assert(
    fc.property(fc.array(wholeField, { maxLength: 20 }), fc.string({ minLength: 1 }), (fields, hostname) => {
      const part = unaryEntry(fieldBytes(1, 2, lengthed(Buffer.concat(fields))), hostname);
      const [entry, ...others] = fieldsOf(part);
      assert.equal(others.length, 0);
      assert.equal(onlyMetadata(entry?.value ?? part).hostname, hostname.toWellFormed());
      const others1 = (list: { number: number; bytes: Buffer }[]) =>
        list.filter(({ number }) => number !== 1).map(({ bytes }) => bytes.toString('hex'));
      assert.deepEqual(others1(fieldsOf(entry?.value ?? part)), others1(fieldsOf(Buffer.concat(fields))));
    }),
    { seed: 45 },
  );
});

test('no entry names another node or changes the entries of others, whatever bytes it consists of', () => {
  const answer = MemoryResponse.encode(
    MemoryResponse.fromPartial({ messages: [{ meminfo: { memfree: 7n } }] }),
  ).finish();
  const [first, last] = [unaryEntry(answer, 'node01'), unaryEntry(answer, 'node03')];
  let refused = 0;
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 6 }), (fields) => {
      const sent = Buffer.concat(fields);
      let middle: Uint8Array;
      try {
        middle = unaryEntry(fieldBytes(1, 2, lengthed(sent)), 'node02');
      } catch (error) {
        assert.equal((error as Fault).kind, 'unknown');
        refused += 1;
        return;
      }
      const entries = fieldsOf(Buffer.concat([first, middle, last]));
      assert.deepEqual(
        entries.map(({ value }) => onlyMetadata(value).hostname),
        ['node01', 'node02', 'node03'],
      );
      assert.deepEqual([entries[0]?.bytes, entries[2]?.bytes], [Buffer.from(first), Buffer.from(last)]);
    }),
    { seed: 45, numRuns: 2000 },
  );
  assert.ok(refused > 200 && refused < 1800, `${refused} of 2000 were refused`);
});

test('labelledEntry() does not copy an entry without metadata, and refuses metadata without a limit', () => {
  const plain = hostnameField('node02');
  const entry = fieldBytes(2, 2, lengthed(Buffer.alloc(1000)));
  const labelled = labelledEntry(entry, 'node02', plain);
  assert.ok(labelled.rest === entry && labelled.metadata === plain);
  const status = { code: 5, details: Array.from({ length: 40_000 }, () => ({})) };
  const metadata = Metadata.encode(Metadata.fromPartial({ status })).finish();
  for (const wrong of [metadata, hex('1a 05'), hex('12 02 61')])
    assert.throws(() => labelledEntry(fieldBytes(1, 2, lengthed(wrong)), 'node02', plain), {
      kind: 'unknown',
      message: /^unexpected message format: the metadata of the entry /,
    });
});

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
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
