import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeArpAnnouncement, encodeArpProbe, otherOwner } from './arp-packet.ts';
import { hardwareText } from './dhcp-message.ts';
import { textOfAddress } from './inet4-address.ts';
import { decodeUdpFrame, encodeBroadcast, internetChecksum } from './udp-frame.ts';

const hardware = '02:00:00:00:00:09';
const other = '02:00:00:00:00:0a';
const port = fc.integer({ min: 0, max: 65_535 });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

test('decodeUdpFrame() reverses encodeBroadcast(), and the checksums are right', () => {
  fc.assert(
    fc.property(
      fc.record(
        {
          ...{ hardware: bytes(6).map(hardwareText), source: bytes(4).map(textOfAddress) },
          ...{ sourcePort: port, destinationPort: port, payload: fc.uint8Array({ maxLength: 600 }) },
        },
        { noNullPrototype: true },
      ),
      (datagram) => {
        const frame = encodeBroadcast(datagram);
        const read = decodeUdpFrame(frame) ?? assert.fail();
        assert.deepEqual({ ...read, payload: Uint8Array.from(read.payload) }, datagram);
        const length = frame.subarray(38, 40);
        const pseudo = [frame.subarray(26, 34), Buffer.from([0, 17]), length, frame.subarray(34)];
        assert.equal(internetChecksum(Buffer.concat(pseudo)), 0);
      },
    ),
  );
});

test('a frame has the bytes that follow from RFC 791 and RFC 768', () => {
  const payload = Uint8Array.of(1, 2, 3);
  const frame = encodeBroadcast({
    hardware,
    source: '0.0.0.0',
    sourcePort: 68,
    destinationPort: 67,
    payload,
  });
  assert.equal(
    frame.toString('hex'),
    `ffffffffffff${'020000000009'}08004500001f0000000040117acf00000000ffffffff00440043000bfb4f010203`,
  );
});

test('any bytes are a datagram or none, and never an error', () => {
  const frame = encodeBroadcast({
    hardware,
    source: '10.0.0.1',
    sourcePort: 67,
    destinationPort: 68,
    payload: new Uint8Array(20),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: frame.length - 1 }),
      fc.integer({ min: 0, max: 255 }),
      fc.nat(frame.length),
      (at, value, length) => {
        const changed = Buffer.from(frame);
        changed[at] = value;
        decodeUdpFrame(changed);
        decodeUdpFrame(frame.subarray(0, length));
        otherOwner(changed, hardware, '10.0.0.1');
      },
    ),
  );
  for (const [at, value] of [
    [12, 0x86],
    [14, 0x65],
    [14, 0x44],
    [14, 0x4f],
    [20, 0x20],
    [21, 1],
    [23, 6],
    [24, 1],
    [38, 255],
    [39, 7],
  ] as const) {
    const changed = Buffer.from(frame);
    changed[at] = value;
    assert.equal(decodeUdpFrame(changed), undefined, `byte ${at}`);
  }
});

test('an answer, an announcement and a probe of another host are found', () => {
  const address = '10.0.0.5';
  assert.equal(otherOwner(encodeArpProbe(hardware, address), hardware, address), undefined);
  assert.equal(otherOwner(encodeArpProbe(other, address), hardware, address), other);
  assert.equal(otherOwner(encodeArpAnnouncement(other, address), hardware, address), other);
  assert.equal(otherOwner(encodeArpAnnouncement(hardware, address), hardware, address), undefined);
  assert.equal(otherOwner(encodeArpProbe(other, '10.0.0.6'), hardware, address), undefined);
  const reply = encodeArpProbe(other, '10.0.0.9');
  reply[21] = 2;
  assert.equal(otherOwner(reply, hardware, address), undefined);
  reply.set([10, 0, 0, 5], 28);
  assert.equal(otherOwner(reply, hardware, address), other);
  assert.equal(otherOwner(reply.subarray(0, 41), hardware, address), undefined);
});
