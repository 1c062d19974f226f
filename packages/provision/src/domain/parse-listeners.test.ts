import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenerInTheWay, parseListeners } from './parse-listeners.ts';

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, state: string, inode: string) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 100 0 0 10 0\n`;

test('parseListeners() returns listening sockets on IPv4, IPv4-mapped and unspecified addresses', () => {
  const text =
    head +
    row('0200107F:C350', '0A', '11') +
    row('00000000:C351', '0A', '12') +
    row('0000000000000000FFFF00000200107F:C352', '0A', '13') +
    row('0000000000000000FFFF000000000000:C353', '0A', '14') +
    row('0200107F:C354', '01', '15');
  assert.deepEqual(parseListeners(text), [
    { address: '127.16.0.2', port: 50000, inode: '11' },
    { address: undefined, port: 50001, inode: '12' },
    { address: '127.16.0.2', port: 50002, inode: '13' },
    { address: undefined, port: 50003, inode: '14' },
  ]);
});

test('parseListeners() returns nothing for an empty or invalid text', () => {
  assert.deepEqual([parseListeners(''), parseListeners(`${head}nonsense\n`)], [[], []]);
});

test('listenerInTheWay() finds a listener on the address or on all addresses', () => {
  const own = { address: '127.16.0.2', port: 50000, inode: '1' };
  const everywhere = { address: undefined, port: 50001, inode: '2' };
  const listeners = [{ address: '127.16.0.3', port: 50000, inode: '3' }, own, everywhere];
  assert.deepEqual(
    [50000, 50001, 50002].map((port) => listenerInTheWay(listeners, '127.16.0.2', port)),
    [own, everywhere, undefined],
  );
});
