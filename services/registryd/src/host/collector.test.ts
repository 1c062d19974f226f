import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { blobPath, type CacheFiles, VerifiedFiles } from '@nodewright/oci/cache';
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

test('Collector removes nothing while a manifest cannot be read', async (t) => {
  const { root, store, leases } = await openCollector(t, 1000);
  const place = { registry: 'registry.example', repository: 'team/app' };
  const manifest = Buffer.from(JSON.stringify({ layers: [{ digest }] }));
  await store.storeManifest({ ...place, tag: 'v1' }, digestOf(manifest), manifest);
  const blob = join(root, blobPath(digest));
  writeFileSync(blob, 'layer');
  utimesSync(blob, 1, 1);
  // A file that is open for writing only: each read of it fails.
  const open: CacheFiles['open'] = async (path) => {
    const file = await store.files.open(path);
    if (file === undefined) return undefined;
    await file[Symbol.asyncDispose]();
    const handle = await openFile(join(root, path), 'a');
    return { ...file, handle, [Symbol.asyncDispose]: () => handle.close() };
  };
  const init = { leases, isUsed: () => false, limitBytes: 1000, now: Date.now };
  const collector = new Collector({ ...init, store: { ...store, files: { ...store.files, open } } });
  await assert.rejects(collector.collect(), { kind: 'unavailable', message: /cannot be read: EBADF/ });
  assert.ok(existsSync(blob));
  // A download needs no manifest, only room.
  using room = new Collector({ ...init, store: { ...store, files: { ...store.files, open } } }).reserve(
    'a blob',
  );
  await room.extend(500);
  await assert.rejects(room.extend(1000), { kind: 'unavailable' });
  // Now it can be read, and names the blob.
  assert.equal((await new Collector({ ...init, store }).collect()).removedFiles, 0);
  assert.ok(existsSync(blob));
});
