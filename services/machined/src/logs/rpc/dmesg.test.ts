import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KernelLog, KernelLogEntry } from '@nodewright/linux';
import type { CallContext } from 'nice-grpc';
import { createDmesg } from './dmesg.ts';

const startMs = Date.UTC(2026, 7, 14, 12);

/** A kernel log to which a test adds entries while it is read. */
class FakeLog implements KernelLog {
  readonly entries: KernelLogEntry[] = [];
  isClosed = false;
  /** Called with the number of reads so far that found no entry. */
  onEmpty: (times: number) => void = () => {};
  #sequence = 0n;
  #timesEmpty = 0;

  add(text: string): void {
    this.#sequence += 1n;
    this.entries.push({
      kind: 'record',
      record: {
        facility: 0,
        priority: 6,
        sequence: this.#sequence,
        sinceBootUs: 1_000_000n,
        text: Buffer.from(`${text}\n`),
      },
    });
  }

  next(): KernelLogEntry | undefined {
    const entry = this.entries.shift();
    if (entry === undefined) this.#reportEmpty();
    return entry;
  }

  [Symbol.dispose](): void {
    this.isClosed = true;
  }

  #reportEmpty(): void {
    this.#timesEmpty += 1;
    this.onEmpty(this.#timesEmpty);
  }
}

function open(
  log: KernelLog,
  request: { follow: boolean; tail: boolean },
  stopSignal = new AbortController().signal,
) {
  const stop = new AbortController();
  const { dmesg } = createDmesg({
    now: () => startMs + 60_000,
    bootTimeMs: () => startMs,
    stopSignal,
    openLog: () => log,
  });
  const stream = dmesg(request, { signal: stop.signal } as CallContext) as AsyncGenerator<{ bytes?: Buffer }>;
  const next = async () => (await stream.next()).value?.bytes?.toString() as string | undefined;
  return { stop, next };
}

test('Dmesg sends one message per record, with the time of day, and ends', async () => {
  const log = new FakeLog();
  log.add('first');
  log.entries.push({ kind: 'lost', count: 7n });
  log.add('second');
  const { next } = open(log, { follow: false, tail: false });
  assert.deepEqual(
    [await next(), await next(), await next(), await next()],
    [
      'kern:    info: [2026-08-14T12:00:01Z]: first\n',
      'syslog: warning: [2026-08-14T12:01:00Z]: 7 kernel messages were lost here: the ring was overwritten before it was read\n',
      'kern:    info: [2026-08-14T12:00:01Z]: second\n',
      undefined,
    ],
  );
  assert.ok(log.isClosed);
});

test('Dmesg with tail skips old records, follows new ones, and closes the log when the call is cancelled', async () => {
  const log = new FakeLog();
  for (let count = 0; count < 200; count += 1) log.add('old');
  const { next, stop } = open(log, { follow: true, tail: true });
  // The first empty read ends the skipping; the second one shows that the call waits for new records.
  log.onEmpty = (times) => {
    if (times === 2) log.add('new');
  };
  assert.match((await next()) ?? '', /new\n$/);
  const second = next();
  stop.abort();
  assert.deepEqual([await second, log.isClosed], [undefined, true]);
});

test('Dmesg ends the streams of followers when the node stops', async () => {
  const nodeStops = new AbortController();
  const log = new FakeLog();
  const { next } = open(log, { follow: true, tail: false }, nodeStops.signal);
  const waiting = next();
  nodeStops.abort();
  assert.deepEqual([await waiting, log.isClosed], [undefined, true]);
});
