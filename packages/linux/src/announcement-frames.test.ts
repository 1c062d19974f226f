import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gratuitousArp, neighbourAdvertisement } from './announcement-frames.ts';

const hardware = Buffer.from('52540a0b0c0d', 'hex');

test('a gratuitous ARP asks everybody for the address that it comes from', () => {
  assert.equal(
    gratuitousArp(hardware, Buffer.from([10, 0, 0, 99])).toString('hex'),
    [
      ...['ffffffffffff', '52540a0b0c0d', '0806'],
      ...['0001', '0800', '06', '04', '0001', '52540a0b0c0d', '0a000063', '000000000000', '0a000063'],
    ].join(''),
  );
});

test('a neighbour advertisement overrides, names the hardware address, and has a valid checksum', () => {
  const address = Buffer.from('fd000000000000000000000000000099', 'hex');
  const frame = neighbourAdvertisement(hardware, address);
  assert.equal(frame.subarray(0, 14).toString('hex'), '33330000000152540a0b0c0d86dd');
  const packet = frame.subarray(14);
  assert.equal(packet.subarray(0, 8).toString('hex'), '6000000000203aff');
  assert.deepEqual(packet.subarray(8, 24), address);
  assert.equal(packet.subarray(24, 40).toString('hex'), 'ff020000000000000000000000000001');
  const message = packet.subarray(40);
  assert.deepEqual([message[0], message[1], message[4]], [136, 0, 0x20]);
  assert.deepEqual(message.subarray(8, 24), address);
  assert.equal(message.subarray(24).toString('hex'), '020152540a0b0c0d');
  // The sum of all 16-bit words with the checksum is all ones.
  const words = Buffer.concat([packet.subarray(8, 40), Buffer.from([0, 0, 0, 32, 0, 0, 0, 58]), message]);
  let sum = 0;
  for (let at = 0; at < words.length; at += 2) sum += words.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  assert.equal(sum, 0xffff);
});
