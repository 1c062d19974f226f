import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparePrefixes,
  holds,
  isLinkLocal,
  isLoopback,
  isMulticast,
  type Prefix,
  parsePrefix,
  withPrefixLength,
} from './prefix.ts';

const prefix = (text: string) => parsePrefix(text) as Prefix;

test('parsePrefix() accepts addresses with and without a length and rejects any other text', () => {
  assert.deepEqual(parsePrefix('10.0.0.1/24'), { family: 4, bits: 0x0a000001n, length: 24 });
  assert.deepEqual(parsePrefix('fd00::1'), { family: 6, bits: (0xfdn << 120n) | 1n, length: 128 });
  assert.deepEqual(parsePrefix('::ffff:10.0.0.1')?.bits, 0xffff0a000001n);
  for (const text of [
    '',
    '10.0.0',
    '10.0.0.1/33',
    'fd00::1/129',
    '10.0.0.1/24/8',
    'fe80::1%eth0',
    '10.0.0.1/x',
    'a',
  ]) {
    assert.equal(parsePrefix(text), undefined, text);
  }
});

test('withPrefixLength() adds the full length to an address without a length', () => {
  assert.deepEqual(['10.0.0.1', '10.0.0.1/8', 'fd00::1', 'no'].map(withPrefixLength), [
    ...['10.0.0.1/32', '10.0.0.1/8', 'fd00::1/128', 'no'],
  ]);
});

const inside: readonly [outer: string, inner: string, expected: boolean][] = [
  ['10.0.0.0/8', '10.9.9.9', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['::/0', '10.0.0.1', false],
  ['fd00::/16', 'fd00:1::', true],
  ['fd00::/128', 'fd00::1', false],
];

test('holds() returns whether an address is in a network', () => {
  for (const [outer, inner, expected] of inside)
    assert.equal(holds(prefix(outer), prefix(inner)), expected, outer);
});

test('isLoopback(), isLinkLocal() and isMulticast() recognise the addresses of their networks', () => {
  const texts = ['127.5.5.5', '::1', '169.254.1.1', 'fe80::1', '224.0.0.1', 'ff02::1', '10.0.0.1', 'fd00::1'];
  const kinds = texts
    .map(prefix)
    .map((each) => [isLoopback(each), isLinkLocal(each), isMulticast(each)].indexOf(true));
  assert.deepEqual(kinds, [0, 0, 1, 1, 2, 2, -1, -1]);
});

test('comparePrefixes() sorts IPv4 first, then by address, then by length', () => {
  const texts = ['fd00::1/64', '10.0.0.2/24', '10.0.0.10/24', '9.0.0.1/8', '10.0.0.2/8'];
  const sorted = [...texts].sort((a, b) => comparePrefixes(prefix(a), prefix(b)));
  assert.deepEqual(sorted, ['9.0.0.1/8', '10.0.0.2/8', '10.0.0.2/24', '10.0.0.10/24', 'fd00::1/64']);
});
