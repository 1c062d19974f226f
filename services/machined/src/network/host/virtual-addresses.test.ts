import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { VirtualAddresses } from './virtual-addresses.ts';

const id = { ip: '10.0.0.99', linkName: 'eth0' };
const free = { ...id, obstacle: undefined };
const blocked = { ...id, obstacle: 'a test' };
const quiet = () => {};

/** Addresses that are won at once, and given up when `resignation` resolves. */
function openAddresses() {
  let campaigns = 0;
  const resignation = Promise.withResolvers<void>();
  const virtual = new VirtualAddresses({
    async campaign() {
      campaigns += 1;
      const { signal } = new AbortController();
      return { signal, leftMs: () => 15_000, resign: () => resignation.promise, abandon: async () => {} };
    },
    yieldLeadership: async () => undefined,
    openAddress: async () => ({ lend: quiet, remove: quiet, announce: quiet }),
    ...{ timers: systemTimers, monotonicMs: () => performance.now(), telemetry: noTelemetry },
    log: { info: quiet, warn: quiet, error: quiet, debug: quiet } as never,
  });
  return { virtual, resignation, campaigns: () => campaigns };
}

test('an address is not competed for again before its resignation has ended, and then once', async () => {
  const { virtual, resignation, campaigns } = openAddresses();
  await using _virtual = virtual;
  let changes = 0;
  using _watch = virtual.watch(() => {
    changes += 1;
  });
  virtual.adopt([free]);
  await eventually(() => virtual.owned().length === 1, { what: 'ownership' });
  for (const wanted of [blocked, blocked, free, blocked, free]) virtual.adopt([wanted]);
  await eventually(() => virtual.owned().length === 0, { what: 'removal' });
  assert.equal(campaigns(), 1);
  const before = changes;
  resignation.resolve();
  await eventually(() => changes > before, { what: 'the end of the resignation' });
  virtual.adopt([free]);
  virtual.adopt([free]);
  await eventually(() => virtual.owned().length === 1, { what: 'ownership again' });
  assert.equal(campaigns(), 2);
});

test('nothing is taken after the end', async () => {
  const { virtual, resignation, campaigns } = openAddresses();
  resignation.resolve();
  await virtual[Symbol.asyncDispose]();
  virtual.adopt([free]);
  await new Promise(setImmediate);
  assert.deepEqual([virtual.owned(), campaigns()], [[], 0]);
});
