import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelMessageText } from './kernel-message-text.ts';

const bootUs = BigInt(Date.UTC(2026, 7, 14, 12)) * 1000n;
const nowUs = bootUs + 3_600_000_000n;
const text = (facility: number, priority: number, sinceBootUs: bigint) =>
  kernelMessageText(
    {
      kind: 'record',
      record: { facility, priority, sinceBootUs, text: Buffer.from('a message\n KEY=value\n') },
    },
    bootUs,
    nowUs,
  ).toString();

test('kernelMessageText() writes facility, padded priority, time without trailing zeros, and the unchanged text', () => {
  const rest = ': a message\n KEY=value\n';
  assert.deepEqual(
    [text(0, 6, 1_500_000n), text(1, 4, 0n), text(3, 0, 61_000_001n), text(23, 7, 10n), text(12, 3, 0n)],
    [
      `kern:    info: [2026-08-14T12:00:01.5Z]${rest}`,
      `user: warning: [2026-08-14T12:00:00Z]${rest}`,
      `daemon:   emerg: [2026-08-14T12:01:01.000001Z]${rest}`,
      `local7:   debug: [2026-08-14T12:00:00.00001Z]${rest}`,
      `unknown12:     err: [2026-08-14T12:00:00Z]${rest}`,
    ],
  );
});

test('kernelMessageText() writes a line of the same format with the number of lost messages', () => {
  const lost = (count: bigint) => kernelMessageText({ kind: 'lost', count }, bootUs, nowUs).toString();
  assert.deepEqual(
    [lost(1n), lost(4711n)],
    [
      'syslog: warning: [2026-08-14T13:00:00Z]: 1 kernel message was lost here: the ring was overwritten before it was read\n',
      'syslog: warning: [2026-08-14T13:00:00Z]: 4711 kernel messages were lost here: the ring was overwritten before it was read\n',
    ],
  );
});
