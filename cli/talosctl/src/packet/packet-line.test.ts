import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodePacket } from './decode-packet.ts';
import { packetDocument, packetLine } from './packet-line.ts';
import { type PcapPacket, PcapReader } from './pcap-reader.ts';

const bytes = (...parts: string[]) => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
const packet = (data: Buffer, linkType = 1): PcapPacket => ({
  linkType,
  seconds: Date.UTC(2026, 7, 14, 12) / 1000,
  nanoseconds: 1500,
  lengthBytes: data.length,
  data,
});
const line = (data: Buffer, linkType?: number) => packetLine(packet(data, linkType));

const macs = '0242 0a05 0003 0242 0a05 0002';
const ipv4 = (protocol: string, length: string, flags = '0000') =>
  `4500 ${length} 0000 ${flags} 40 ${protocol} 0000 0a05 0002 0a05 0003`;
const udp = '9c40 0035 0026 0000';
const at = '2026-08-14T12:00:00.000001500Z';

test('packetLine() prints source, destination and protocol', () => {
  const syn = '9c40 c350 0000 0001 0000 0000 5002 ffff 0000 0000';
  const push = '9c40 c350 0000 0001 0000 0009 5018 0100 0000 0000 68 69';
  const rows: [Buffer, string][] = [
    [bytes(macs, '0800', ipv4('11', '003a'), udp), 'IPv4 10.5.0.2:40000 > 10.5.0.3:53 UDP length 30'],
    [
      bytes(macs, '0800', ipv4('06', '0028'), syn),
      'IPv4 10.5.0.2:40000 > 10.5.0.3:50000 TCP flags [S], seq 1, win 65535, length 0',
    ],
    [
      bytes(macs, '0800', ipv4('06', '002a'), push),
      'IPv4 10.5.0.2:40000 > 10.5.0.3:50000 TCP flags [P.], seq 1, ack 9, win 256, length 2',
    ],
    [
      bytes(macs, '0800', ipv4('01', '001c'), '0800 0000 0000 0000'),
      'IPv4 10.5.0.2 > 10.5.0.3 ICMP echo request, length 8',
    ],
    [bytes(macs, '0800', ipv4('2f', '0018'), '0000 0800'), 'IPv4 10.5.0.2 > 10.5.0.3 protocol 47 length 4'],
    [bytes(macs, '0800', ipv4('11', '001c', '0010'), udp), 'IPv4 10.5.0.2 > 10.5.0.3 fragment at 128'],
    [
      bytes(macs, '8100 0064 0800', ipv4('11', '003a'), udp),
      'IPv4 10.5.0.2:40000 > 10.5.0.3:53 UDP length 30',
    ],
    [
      bytes(macs, '0806 0001 0800 0604 0001 0242 0a05 0002 0a05 0002 0000 0000 0000 0a05 0003'),
      'ARP who has 10.5.0.3, tell 10.5.0.2',
    ],
    [
      bytes(macs, '0806 0001 0800 0604 0002 0242 0a05 0002 0a05 0002 0000 0000 0000 0a05 0003'),
      'ARP 10.5.0.2 is at 02:42:0a:05:00:02',
    ],
    [bytes(macs, '88cc 0000'), 'ethertype 0x88cc 02:42:0a:05:00:02 > 02:42:0a:05:00:03 length 16'],
  ];
  for (const [data, text] of rows) assert.equal(line(data), `${at} ${text}`);
});

test('packetLine() decodes IPv6 after extension headers, with short addresses', () => {
  const addresses = `fe80${'0'.repeat(24)}0001 ${'0'.repeat(31)}1`;
  const header = (next: string, length: string) => `6000 0000 ${length} ${next} 40 ${addresses}`;
  assert.equal(
    line(bytes(macs, '86dd', header('11', '0026'), udp)),
    `${at} IPv6 [fe80::1]:40000 > [::1]:53 UDP length 30`,
  );
  assert.equal(
    line(bytes(macs, '86dd', header('00', '0010'), '3a00 0000 0000 0000', '8700 0000 0000 0000')),
    `${at} IPv6 fe80::1 > ::1 ICMPv6 neighbour solicitation, length 8`,
  );
});

test('packetLine() decodes packets of links without a link header', () => {
  assert.equal(
    line(bytes(ipv4('11', '003a'), udp), 101),
    `${at} IPv4 10.5.0.2:40000 > 10.5.0.3:53 UDP length 30`,
  );
  assert.equal(line(bytes('00'), 147), `${at} link type 147 ? > ? length 1`);
});

test('packetDocument() has the same values as fields', () => {
  assert.deepEqual(packetDocument(packet(bytes(macs, '0800', ipv4('11', '003a'), udp))), {
    time: at,
    lengthBytes: 42,
    storedBytes: 42,
    network: 'IPv4',
    source: '10.5.0.2',
    destination: '10.5.0.3',
    transport: 'UDP',
    sourcePort: 40000,
    destinationPort: 53,
    detail: 'length 30',
  });
});

test('decodePacket() survives any bytes, and any packet that was cut off', () => {
  const whole = bytes(macs, '86dd 6000 0000 0026 00 40', '0'.repeat(64), '1100 0000 0000 0000', udp);
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 120 }),
    fc
      .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 20 }))
      .map(([length, more]) => Buffer.concat([whole.subarray(0, length), more])),
  );
  fc.assert(
    fc.property(anything, fc.constantFrom(1, 101, 113), (data, linkType) => {
      assert.doesNotMatch(packetLine(packet(Buffer.from(data), linkType)), /NaN|\n/);
      assert.equal(typeof decodePacket(packet(Buffer.from(data), linkType)).network, 'string');
    }),
  );
});

/** A capture in the format of a pcap file. */
function pcap(isLittle: boolean, magic: number, packets: readonly Buffer[]): Buffer {
  const words = (...values: number[]) => {
    const words = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) {
      if (isLittle) words.writeUInt32LE(value, index * 4);
      else words.writeUInt32BE(value, index * 4);
    }
    return words;
  };
  return Buffer.concat([
    words(magic, 0x0004_0002, 0, 0, 4096, 1),
    ...packets.flatMap((data) => [words(5, 7, data.length, data.length + 1), data]),
  ]);
}

test('PcapReader reads the packets of a capture for any chunking, byte order and time unit', () => {
  const packets = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('the third')];
  const kinds = fc.constantFrom([true, 0xa1b2_3c4d, 7], [false, 0xa1b2_3c4d, 7], [true, 0xa1b2_c3d4, 7000]);
  fc.assert(
    fc.property(kinds, fc.array(fc.nat(110), { maxLength: 12 }), ([isLittle, magic, nanoseconds], cuts) => {
      const stream = pcap(isLittle as boolean, magic as number, packets);
      const places = [
        0,
        ...cuts.filter((place) => place <= stream.length).sort((a, b) => a - b),
        stream.length,
      ];
      const reader = new PcapReader();
      const seen = places
        .slice(1)
        .flatMap((end, index) => [...reader.push(stream.subarray(places[index], end))]);
      assert.deepEqual(
        seen,
        packets.map((data) => ({ linkType: 1, seconds: 5, nanoseconds, lengthBytes: data.length + 1, data })),
      );
    }),
  );
});

test('PcapReader reports a stream that is not a capture', () => {
  const read = (data: Buffer) => [...new PcapReader().push(data)];
  assert.throws(() => read(Buffer.alloc(24)), {
    kind: 'data-loss',
    message: /no capture: it begins with 00000000/,
  });
  const header = pcap(true, 0xa1b2_3c4d, []);
  assert.throws(() => read(Buffer.concat([header, Buffer.alloc(16, 0xff)])), {
    message: /a packet of 4294967295 bytes/,
  });
});
