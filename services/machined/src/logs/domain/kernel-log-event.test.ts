import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelLogEvent } from './kernel-log-event.ts';

const record = {
  priority: 6,
  facility: 0,
  sequence: 812n,
  sinceBootUs: 1_500_000n,
  text: Buffer.from('eth0: link is up\n'),
};

test('kernelLogEvent() converts a record with its time and numbers', () => {
  assert.deepEqual(kernelLogEvent(record, 1_700_000_000_000_000n), {
    message: 'eth0: link is up',
    time: '2023-11-14T22:13:21.5Z',
    level: 'info',
    fields: { facility: 'kern', seq: 812, clock: 1_500_000, priority: 'info' },
  });
});

test('kernelLogEvent() maps each priority to a level', () => {
  const levels = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (priority) => kernelLogEvent({ ...record, priority }, 0n).level,
  );
  assert.deepEqual(levels, ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug']);
});
