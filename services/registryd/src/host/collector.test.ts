import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VerifiedFiles } from '@nodewright/oci/cache';
import { openCacheStore } from './cache-store.ts';
import { Collector } from './collector.ts';
import { Leases } from './leases.ts';

const digest = `sha256:${'a'.repeat(64)}`;

async function openCollector(t: TestContext, limitBytes: number) {
  const root = mkdtempSync(join(tmpdir(), 'collector-'));
  t.after(() => rmSync(root, { recursive: true }));
  const store = await openCacheStore(root, new VerifiedFiles());
  const leases = new Leases();
  return {
    root,
    store,
    leases,
    collector: new Collector({ store, leases, isUsed: () => false, limitBytes, now: Date.now }),
  };
}

test('Collector leaves the reserve of the file system to others, also when two downloads ask at once', async (t) => {
  const { collector } = await openCollector(t, Number.MAX_SAFE_INTEGER);
  const { freeBytes } = await collector.space();
  // Each fits alone, whatever else is written to this file system meanwhile.
  const wantedBytes = Math.floor(freeBytes * 0.6);
  using first = collector.reserve('the first');
  using second = collector.reserve('the second');
  const results = await Promise.allSettled([first.extend(wantedBytes), second.extend(wantedBytes)]);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? 'reserved' : result.reason.kind)),
    ['reserved', 'resource-exhausted'],
  );
});

test('Collector counts what is written of a reservation once', async (t) => {
  const { collector, store, leases } = await openCollector(t, 1000);
  using _lease = leases.hold([digest]);
  using first = collector.reserve('the first');
  using second = collector.reserve('the second');
  await first.extend(600);
  writeFileSync(store.unfinishedPath(digest), Buffer.alloc(500));
  first.written(500);
  // 500 are written, and 100 still reserved.
  assert.equal(first.bytes, 100);
  await second.extend(400);
  await assert.rejects(second.extend(401), { kind: 'resource-exhausted' });
  assert.equal(second.bytes, 400);
});
