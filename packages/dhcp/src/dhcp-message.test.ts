import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import {
  type DhcpMessage,
  decodeMessage,
  encodeMessage,
  hardwareText,
  longestMessageBytes,
} from './dhcp-message.ts';
import { textOfAddress } from './inet4-address.ts';
import { offerOf } from './lease-offer.ts';
import { realMessages } from './testing/real-messages.ts';

const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
const address = fc.uint8Array({ minLength: 4, maxLength: 4 }).map(textOfAddress);
/** All but padding, the end, and the code that says where options are. */
const code = uint(8).filter((number) => ![0, 52, 255].includes(number));

const anyMessage: fc.Arbitrary<DhcpMessage> = fc.record(
  {
    ...{ isReply: fc.boolean(), transactionId: uint(32), seconds: uint(16), wantsBroadcast: fc.boolean() },
    ...{ clientAddress: address, yourAddress: address, nextServer: address, relayAddress: address },
    hardware: fc.uint8Array({ minLength: 6, maxLength: 6 }).map(hardwareText),
    options: fc
      .uniqueArray(fc.tuple(code, fc.uint8Array({ maxLength: 700 })), {
        selector: ([key]) => key,
        maxLength: 8,
      })
      .map((entries) => new Map(entries)),
  },
  { noNullPrototype: true },
);

test('decodeMessage() reverses encodeMessage(), also for options of many parts', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      assert.deepEqual(decodeMessage(encodeMessage(message)), message);
    }),
  );
});

test('a real acknowledgement is read', () => {
  const { options, ...fields } = decodeMessage(realMessages.ack);
  assert.deepEqual(fields, {
    ...{ isReply: true, transactionId: 0x12345678, seconds: 0, wantsBroadcast: false },
    ...{ clientAddress: '0.0.0.0', yourAddress: '10.77.0.52', nextServer: '10.77.0.1' },
    ...{ relayAddress: '0.0.0.0', hardware: '02:00:00:00:00:09' },
  });
  assert.deepEqual([...options.keys()], [53, 54, 51, 58, 59, 1, 28, 3, 15, 12, 121, 26, 119, 42]);
});

/** A message with a part of option 119 in its own field, in the field of a file, and in that of a name. */
function overloaded(which: number): Uint8Array {
  const bytes = Buffer.from(encodeMessage({ ...decodeMessage(realMessages.ack), options: new Map() }));
  bytes.write('7703616263ff', 108, 'hex');
  bytes.write('770164ff', 44, 'hex');
  bytes.write(`770207653401${which.toString(16).padStart(2, '0')}ff`, 240, 'hex');
  return bytes;
}

test('options in the fields of a file and a name are joined in their order', () => {
  const joined = (which: number) =>
    Buffer.from(decodeMessage(overloaded(which)).options.get(119) ?? []).toString('hex');
  assert.deepEqual([1, 2, 3, 0].map(joined), ['0765616263', '076564', '076561626364', '0765']);
});

test('what is not a message is refused, with what is wrong', () => {
  const changed = (at: number, value: number) => {
    const bytes = Uint8Array.from(realMessages.ack);
    bytes[at] = value;
    return bytes;
  };
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(239), 'it has 239 bytes'],
    [new Uint8Array(longestMessageBytes + 1), 'it has 9217 bytes'],
    [changed(0, 3), 'its operation is 3'],
    [changed(1, 6), 'its client is not on Ethernet'],
    [changed(2, 16), 'its client is not on Ethernet'],
    [changed(237, 0), 'it has no options'],
    [realMessages.ack.subarray(0, 300), 'option 12 is longer than its field'],
  ];
  for (const [bytes, reason] of cases)
    assert.throws(() => decodeMessage(bytes), { message: `not a DHCP message: ${reason}` });
});

interface Mutation {
  readonly kind: 'overwrite' | 'insert' | 'remove' | 'repeat' | 'cut';
  readonly at: number;
  readonly bytes: Uint8Array;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('overwrite', 'insert', 'remove', 'repeat', 'cut'),
  // Most of it is in the options.
  at: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 236, max: 400 })),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 6 }),
    fc.constantFrom(
      ...['00', 'ff', '3401ff', '77ff', '7702c000', '79ff', '3400', 'c0c0c0'].map((hex) =>
        Uint8Array.from(Buffer.from(hex, 'hex')),
      ),
    ),
  ),
});

function mutate(message: Uint8Array, { kind, at, bytes }: Mutation): Uint8Array {
  const start = at % (message.length + 1);
  const [before, after] = [message.subarray(0, start), message.subarray(start)];
  const rest = after.subarray(Math.min(bytes.length, after.length));
  const parts: Record<Mutation['kind'], Uint8Array[]> = {
    overwrite: [before, bytes, rest],
    insert: [before, bytes, after],
    remove: [before, rest],
    repeat: [before, ...Array.from({ length: 40 }, () => after.subarray(0, bytes.length)), after],
    cut: [before],
  };
  return Uint8Array.from(Buffer.concat(parts[kind]));
}

test('300 messages that were mutated from real ones are read or refused, and nothing else', () => {
  let refused = 0;
  let read = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(realMessages)),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (message, mutations) => {
        const bytes = mutations.reduce(mutate, message);
        const began = performance.now();
        try {
          const offer = offerOf(decodeMessage(bytes));
          read += 1;
          if ('reason' in offer) return;
          assert.ok(offer.routes.length <= 300 && offer.searchDomains.length <= 33);
          const names = [offer.hostname ?? '', offer.domainName ?? '', ...offer.searchDomains];
          assert.match(names.join(), /^[\w.,-]*$/);
        } catch (error) {
          if (!(error instanceof Fault) || error.kind !== 'invalid-argument') throw error;
          refused += 1;
        } finally {
          assert.ok(performance.now() - began < 1000, 'it took a second');
        }
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(refused > 10 && read > 10, `${refused} refused, ${read} read`);
});
