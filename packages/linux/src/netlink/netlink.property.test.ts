// Any bytes from a netlink socket cause at most a Fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { decodeAddress } from './address-message.ts';
import { attributeList, encodeAttribute } from './attributes.ts';
import { decodeGenericFamily } from './generic-netlink.ts';
import { decodeLink } from './link-message.ts';
import { encodeMessage, errorNumberOf, messagesOf } from './netlink-message.ts';
import { decodeRoute } from './route-message.ts';
import { decodeRule } from './rule-message.ts';
import { decodeWireguard } from './wireguard-message.ts';

const decoders = {
  ...{ decodeLink, decodeAddress, decodeRoute, decodeRule, decodeGenericFamily },
  decodeWireguard: (bytes: Uint8Array) => decodeWireguard([bytes, bytes]),
};

/** Attributes of types that the decoders know, with lengths that are sometimes valid. */
const attributes: fc.Arbitrary<Buffer> = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 60 }),
      fc.oneof(
        fc.uint8Array({ minLength: 4, maxLength: 4 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.uint8Array({ maxLength: 40 }),
        fc
          .array(fc.tuple(fc.integer({ min: 0, max: 31 }), fc.uint8Array({ maxLength: 20 })), {
            maxLength: 4,
          })
          .map((list) => Buffer.concat(list.map(([type, value]) => encodeAttribute(type, value)))),
      ),
    ),
    { maxLength: 8 },
  )
  .map((list) => Buffer.concat(list.map(([type, value]) => encodeAttribute(type, value))));

const payload = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .tuple(fc.uint8Array({ minLength: 8, maxLength: 16 }), attributes, fc.nat(400))
    .map(([header, rest, length]) => Buffer.concat([header, rest]).subarray(0, length)),
);

/** Calls it with `bytes` between other bytes, then again with different bytes around them. */
function outcome<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array, around: number): T | string {
  const room = Buffer.alloc(bytes.length + 64, around);
  room.set(bytes, 32);
  try {
    return decode(room.subarray(32, 32 + bytes.length));
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'data-loss', String(error));
    return error.message;
  }
}

for (const [name, decode] of Object.entries(decoders)) {
  test(`${name}() accepts any bytes or throws data-loss, and reads no others`, () => {
    fc.assert(
      fc.property(payload, (bytes) => {
        const first = outcome<unknown>(decode, bytes, 0x00);
        assert.deepEqual(outcome<unknown>(decode, bytes, 0xff), first);
      }),
      { numRuns: 2000 },
    );
  });
}

test('messagesOf() accepts any bytes or throws data-loss, and reads no others', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      const read = (datagram: Uint8Array) =>
        messagesOf(datagram).map((message) => ({ ...message, payload: [...message.payload] }));
      assert.deepEqual(outcome<unknown>(read, bytes, 0xff), outcome<unknown>(read, bytes, 0x00));
    }),
    { numRuns: 2000 },
  );
});

const message = fc
  .tuple(fc.nat(0xffff), fc.nat(0xffff), fc.nat(0xffff_ffff), fc.uint8Array({ maxLength: 64 }))
  .map(([type, flags, sequence, bytes]) => ({ type, flags, sequence, payload: Buffer.from(bytes) }));

test('messagesOf() returns the messages of a datagram, whatever their lengths', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const padded = messages.map((each) => {
        const bytes = encodeMessage(each);
        return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
      });
      const read = messagesOf(Buffer.concat(padded));
      assert.deepEqual(
        read.map((each) => ({ ...each, payload: Buffer.from(each.payload) })),
        messages,
      );
    }),
  );
});

test('attributeList() reads what encodeAttribute() wrote', () => {
  const attribute = fc.tuple(fc.integer({ min: 0, max: 0x3fff }), fc.uint8Array({ maxLength: 64 }));
  fc.assert(
    fc.property(fc.array(attribute, { maxLength: 6 }), (list) => {
      const bytes = Buffer.concat(list.map(([type, value]) => encodeAttribute(type, value)));
      assert.deepEqual(
        attributeList(bytes).map(([type, value]) => [type, [...value]]),
        list.map(([type, value]) => [type, [...value]]),
      );
    }),
  );
});

test('errorNumberOf() returns the errno, and throws data-loss for an error without a number', () => {
  const error = (bytes: number[]) => ({ type: 2, flags: 0, sequence: 1, payload: Uint8Array.from(bytes) });
  assert.equal(errorNumberOf(error([0xff, 0xff, 0xff, 0xff])), 1);
  assert.equal(errorNumberOf(error([0, 0, 0, 0])), 0);
  assert.throws(() => errorNumberOf(error([0])), { kind: 'data-loss' });
});
