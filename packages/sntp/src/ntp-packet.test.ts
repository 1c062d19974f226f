import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeNtpPacket,
  encodeNtpPacket,
  type NtpPacket,
  referenceIdFromText,
  referenceIdText,
} from './ntp-packet.ts';
import { msFromNtpShort, ntpFromUnixMs, unixMsFromNtp } from './ntp-time.ts';
import { parseServerAddress } from './server-address.ts';

const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
const int8 = fc.integer({ min: -128, max: 127 });
const timestamp = fc.bigInt(0n, 2n ** 64n - 1n);

const anyPacket: fc.Arbitrary<NtpPacket> = fc.record(
  {
    leap: uint(2),
    version: uint(3),
    mode: uint(3),
    stratum: uint(8),
    poll: int8,
    precision: int8,
    rootDelay: uint(32),
    rootDispersion: uint(32),
    referenceId: uint(32),
    referenceTime: timestamp,
    originTime: timestamp,
    receiveTime: timestamp,
    transmitTime: timestamp,
  },
  { noNullPrototype: true },
);

test('decodeNtpPacket() reverses encodeNtpPacket(), with or without an extension', () => {
  fc.assert(
    fc.property(anyPacket, fc.uint8Array({ maxLength: 20 }), (packet, extension) => {
      assert.deepEqual(decodeNtpPacket(Buffer.concat([encodeNtpPacket(packet), extension])), packet);
    }),
  );
});

test('encodeNtpPacket() writes the fields at the offsets of RFC 5905', () => {
  const bytes = encodeNtpPacket({
    leap: 1,
    version: 4,
    mode: 3,
    stratum: 2,
    poll: 6,
    precision: -20,
    rootDelay: 0x00010002,
    rootDispersion: 0x00030004,
    referenceId: referenceIdFromText('LOCL'),
    referenceTime: 1n,
    originTime: 2n,
    receiveTime: 3n,
    transmitTime: 0xe8n << 56n,
  });
  assert.equal(
    Buffer.from(bytes).toString('hex'),
    `63${'0206ec'}${'00010002'}${'00030004'}${'4c4f434c'}${'0000000000000001'}${'0000000000000002'}` +
      `${'0000000000000003'}${'e800000000000000'}`,
  );
});

test('decodeNtpPacket() rejects a packet that is too short', () => {
  assert.throws(() => decodeNtpPacket(new Uint8Array(47)), { kind: 'invalid-argument' });
});

test('referenceIdText() decodes kiss codes and replaces control characters', () => {
  assert.equal(referenceIdText(referenceIdFromText('RATE')), 'RATE');
  assert.equal(referenceIdText(referenceIdFromText('GPS')), 'GPS');
  assert.equal(referenceIdText(0x4c0a434c), 'L?CL');
});

test('unixMsFromNtp() is the inverse of ntpFromUnixMs() from 1970 to 2100, within a microsecond', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: Date.UTC(2100, 0, 1), noNaN: true }), (unixMs) => {
      const difference = Math.abs(unixMsFromNtp(ntpFromUnixMs(unixMs)) - unixMs);
      assert.ok(difference < 0.001, `${difference} ms apart`);
    }),
  );
});

test('ntpFromUnixMs() counts seconds from 1900 and wraps in 2036', () => {
  assert.equal(ntpFromUnixMs(0), 2208988800n << 32n);
  assert.equal(ntpFromUnixMs(500.0), (2208988800n << 32n) + (1n << 31n));
  assert.equal(ntpFromUnixMs(Date.UTC(2036, 1, 7, 6, 28, 16)), 0n);
  assert.equal(unixMsFromNtp(1n << 32n), Date.UTC(2036, 1, 7, 6, 28, 17));
});

test('msFromNtpShort() reads 16.16 bits of seconds', () => {
  assert.equal(msFromNtpShort(0x00018000), 1500);
});

test('parseServerAddress() accepts names, addresses and ports', () => {
  assert.deepEqual(
    ['time.example.org', '127.0.0.1:1123', '::1', '[::1]', '[fd00::2]:1123', 'ntp:65535'].map(
      parseServerAddress,
    ),
    [
      { host: 'time.example.org', port: 123 },
      { host: '127.0.0.1', port: 1123 },
      { host: '::1', port: 123 },
      { host: '::1', port: 123 },
      { host: 'fd00::2', port: 1123 },
      { host: 'ntp', port: 65535 },
    ],
  );
});

test('parseServerAddress() rejects and quotes an invalid server', () => {
  for (const text of ['', 'a b', 'host:', 'host:0', 'host:65536', 'host:1:2', '[host]:1', '[::1', ':123']) {
    assert.throws(
      () => parseServerAddress(text),
      (error) =>
        (error as { kind?: string }).kind === 'invalid-argument' && String(error).includes(`"${text}"`),
      text,
    );
  }
});
