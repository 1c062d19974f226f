import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KernelLogEntry, openKernelLog } from '@nodewright/linux';
import { type KernelLogPosition, openKernelLogSource } from './kernel-log-source.ts';

function openSource(entries: readonly KernelLogEntry[], position: KernelLogPosition = { sequence: 0n }) {
  const left = [...entries];
  return openKernelLogSource({
    openLog: () => ({ next: () => left.shift(), [Symbol.dispose]() {} }),
    position,
    extraTags: { rack: '2' },
    bootUs: 0n,
    nowUs: () => 5_000_000n,
  });
}

const recordOf = (sequence: bigint): KernelLogEntry => ({
  kind: 'record',
  record: { priority: 3, facility: 3, sequence, sinceBootUs: 1n, text: Buffer.from(`message ${sequence}\n`) },
});

test('kernel log records are delivered as JSON without the field talos-service', () => {
  using source = openSource([recordOf(7n)]);
  assert.deepEqual(JSON.parse(source.next()?.text ?? ''), {
    facility: 'daemon',
    seq: 7,
    clock: 1,
    priority: 'err',
    msg: 'message 7',
    'talos-time': '1970-01-01T00:00:00.000001Z',
    'talos-level': 'error',
    rack: '2',
  });
  assert.equal(source.next(), undefined);
});

test('kernel log records continue after the last one that any destination has received', () => {
  const position = { sequence: 0n };
  const entries = [recordOf(1n), recordOf(2n), recordOf(3n)];
  using first = openSource(entries, position);
  first.next()?.delivered();
  first.next();
  using second = openSource(entries, position);
  assert.match(second.next()?.text ?? '', /message 2/);
});

test('lost kernel log records are reported with their number', () => {
  using source = openSource([{ kind: 'lost', count: 3n }, recordOf(9n)]);
  assert.match(source.next()?.text ?? '', /3 messages of the kernel were lost.*"talos-level":"warn"/);
  assert.match(source.next()?.text ?? '', /message 9/);
});

test('the kernel log of this machine is readable, if the user has permission', (context) => {
  const open = () => {
    try {
      return openKernelLog();
    } catch {
      return undefined;
    }
  };
  using log = open();
  if (log === undefined) return context.skip('this user may not read /dev/kmsg');
  using source = openKernelLogSource({
    openLog: () => log,
    position: { sequence: 0n },
    extraTags: {},
    bootUs: 0n,
    nowUs: () => 0n,
  });
  const first = source.next();
  if (first === undefined) return context.skip('there is nothing in it');
  assert.equal(typeof JSON.parse(first.text).seq, 'number');
});
