import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemInfo, SystemStat } from '@nodewright/contract/gen/machine/machine.ts';
import { parseStat } from '@nodewright/linux';
import { meminfoMessage, systemStatMessage } from './kernel-messages.ts';

test('meminfoMessage() has every field, with 0 for lines that the kernel does not print', () => {
  const message = meminfoMessage(
    new Map([
      ['MemTotal', 7n],
      ['Active(anon)', 3n],
      ['Unheard', 1n],
    ]),
  );
  assert.deepEqual(Object.keys(message).sort(), Object.keys(MemInfo.fromPartial({})).sort());
  assert.deepEqual([message.memtotal, message.activeanon, message.memfree], [7n, 3n, 0n]);
});

test('systemStatMessage() is complete, with an empty entry for an offline CPU', () => {
  const message = systemStatMessage(
    parseStat('cpu  100 0 0 0\ncpu0 100 0 0 0\ncpu2 0 0 0 100\nsoftirq 9 1 2 3 4 5 6 7 8 9 10\n'),
  );
  assert.deepEqual(
    message.cpu.map(({ user, idle }) => [user, idle]),
    [
      [1, 0],
      [0, 0],
      [0, 1],
    ],
  );
  assert.equal(message.softIrq?.blockIoPoll, 6n);
  const decoded = SystemStat.decode(SystemStat.encode(message).finish());
  assert.deepEqual(SystemStat.toJSON(decoded), SystemStat.toJSON(message));
});
