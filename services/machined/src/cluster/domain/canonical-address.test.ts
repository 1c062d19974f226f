import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalAddress, isLoopback, isNodeAddress } from './canonical-address.ts';

test('canonicalAddress() gives all texts of one address the same form', () => {
  const rows: [string, string | undefined][] = [
    ['10.5.0.2', '10.5.0.2'],
    ['::ffff:10.5.0.2', '10.5.0.2'],
    ['::FFFF:a05:2', '10.5.0.2'],
    ['FD00:0::0002', 'fd00::2'],
    ['fe80::1%eth0', 'fe80::1'],
    ['node01', undefined],
    ['10.5.0', undefined],
    ['10.5.0.2:50000', undefined],
    ['', undefined],
  ];
  assert.deepEqual(
    rows.map(([text]) => canonicalAddress(text)),
    rows.map(([, address]) => address),
  );
});

test('isNodeAddress() accepts addresses that belong to one node and that others can dial', () => {
  const yes = ['10.5.0.2', '127.0.3.2', '192.168.1.1', 'fd00::2', '2001:db8::1', '::1'];
  const no = [
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '255.255.255.255',
    '169.254.1.1',
    '::',
    'ff02::1',
    'fe80::1',
    'febf::1',
  ];
  assert.deepEqual([...yes, ...no].filter(isNodeAddress), yes);
  assert.deepEqual(yes.filter(isLoopback), ['127.0.3.2', '::1']);
});
