import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcapHeader, pcapLinkType, pcapRecordHeader } from './pcap-format.ts';

test('pcapHeader() is little-endian with nanoseconds, and 4096 is the default length', () => {
  assert.equal(
    pcapHeader(1, 0).toString('hex'),
    '4d3cb2a1' + '0200' + '0400' + '00000000' + '00000000' + '00100000' + '01000000',
  );
  assert.equal(pcapHeader(101, 65_535).subarray(16).toString('hex'), 'ffff0000' + '65000000');
});

test('pcapRecordHeader() has the time, the stored length and the original length', () => {
  const packet = { seconds: 1, nanoseconds: 2, data: Buffer.alloc(3), lengthBytes: 4 };
  assert.equal(pcapRecordHeader(packet).toString('hex'), '01000000' + '02000000' + '03000000' + '04000000');
});

test('pcapLinkType() knows Ethernet, loopback and raw IP, and names an unsupported link', () => {
  const linkType = (hardwareType: number) => pcapLinkType({ hardwareType });
  assert.deepEqual([1, 772, 65_534].map(linkType), [1, 1, 101]);
  assert.throws(() => linkType(776), { kind: 'invalid-argument', message: 'unsupported link type sit' });
  assert.throws(() => linkType(4242), { kind: 'invalid-argument', message: 'unsupported link type 4242' });
});
