import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from './fixture.ts';
import { parseSocketLine, parseSocketTable, type SocketAddress } from './parse-socket-table.ts';

const ends = ({ address, port }: SocketAddress) => `${address} ${port}`;
const summary = (table: string) =>
  [...parseSocketTable(fixture(`net-${table}.txt`))].map(
    ({ local, remote, state }) => `${ends(local)} ${ends(remote)} ${state}`,
  );

test('parseSocketTable() reads each line of TCP, in any state of the connection', () => {
  assert.deepEqual(summary('tcp'), [
    '127.0.0.1 8081 0.0.0.0 0 10',
    '127.0.0.1 8081 127.0.0.1 32808 8',
    '127.0.0.1 32796 127.0.0.1 8081 1',
    '127.0.0.1 32808 127.0.0.1 8081 5',
    '127.0.0.1 39390 127.0.0.1 8080 5',
    '127.0.0.1 8081 127.0.0.1 32796 1',
  ]);
});

test('parseSocketTable() reads queues and timers as hexadecimal, owner and inode as decimal', () => {
  const [, , sending, ending] = [...parseSocketTable(fixture('net-tcp.txt'))];
  assert.deepEqual(
    { ...sending, local: undefined, remote: undefined },
    {
      local: undefined,
      remote: undefined,
      state: 1,
      sendQueue: 0x4a53bn,
      receiveQueue: 0n,
      timer: 4,
      timerWhen: 4n,
      retransmits: 0n,
      uid: 0,
      timeout: 0n,
      inode: 1803731n,
      references: 3n,
      pointer: 0x7ece3fdan,
    },
  );
  assert.deepEqual([ending?.timer, ending?.timerWhen, ending?.inode], [3, 0x1634n, 0n]);
});

test('parseSocketTable() shortens IPv6 addresses, and writes mapped IPv4 addresses with dots', () => {
  assert.deepEqual(summary('tcp6'), [
    ':: 8080 :: 0 10',
    '::1 39314 ::1 8080 1',
    '127.0.0.1 8080 127.0.0.1 39390 8',
    '::1 8080 ::1 39314 1',
  ]);
});

test('parseSocketTable() reads UDP and raw sockets, whose port is the protocol', () => {
  assert.deepEqual(
    ['udp', 'udp6', 'raw', 'raw6'].map((table) => summary(table)[0]),
    ['127.0.0.1 5353 0.0.0.0 0 7', ':: 5355 :: 0 7', '0.0.0.0 1 0.0.0.0 0 7', ':: 58 :: 0 7'],
  );
});

test('parseSocketLine() recognises an unspecified address in every family', () => {
  const line = (remote: string) =>
    `   0: ${'0'.repeat(remote.length)}:1F91 ${remote}:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0000000022 100`;
  const isUnspecified = (remote: string) => parseSocketLine(line(remote))?.remote.isUnspecified;
  assert.deepEqual(
    [
      '00000000',
      '0'.repeat(32),
      '0000000000000000FFFF000000000000',
      '0100007F',
      `${'0'.repeat(24)}01000000`,
    ].map(isUnspecified),
    [true, true, true, false, false],
  );
});
