import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault, faultFrom } from '@nodewright/fault';
import { digestOf, type OpenedBlob } from '@nodewright/oci';
import { VerifiedFiles } from '@nodewright/oci/cache';
import { eventually } from '@nodewright/testkit';
import { type CacheStore, openCacheStore } from './cache-store.ts';
import { Collector } from './collector.ts';
import { Downloads } from './downloads.ts';
import { Leases } from './leases.ts';

const mebibyte = 1024 * 1024;
const pieceBytes = 65_536;
const place = { registry: 'registry.example', repository: 'team/app' };

interface Content {
  readonly digest: string;
  readonly bytes: Buffer;
}

function contentOf(sizeBytes: number): Content {
  const bytes = randomBytes(sizeBytes);
  return { digest: digestOf(bytes), bytes };
}

/** A cache of 10 MiB, and a registry that opens blobs as the test says. */
async function openCache(
  t: TestContext,
  openBlob: (digest: string, offset: number, signal: AbortSignal) => Promise<OpenedBlob>,
  changed: (store: CacheStore) => CacheStore = (store) => store,
) {
  const root = mkdtempSync(join(tmpdir(), 'downloads-'));
  const stop = new AbortController();
  const store = changed(await openCacheStore(root, new VerifiedFiles()));
  const leases = new Leases();
  const collector = new Collector({
    ...{ store, leases, isUsed: () => false, limitBytes: 10 * mebibyte, now: Date.now },
  });
  const downloads = new Downloads({
    ...{ store, collector, leases, signal: stop.signal },
    openBlob: ({ digest }, offset, signal) => openBlob(digest, offset, signal),
    onWritten: () => {},
    onFailed: () => {},
  });
  t.after(async () => {
    stop.abort();
    await downloads.ended();
    rmSync(root, { recursive: true });
  });
  /** Downloads a blob for one reader. @returns its size in bytes, or the kind of the failure */
  const read = async (digest: string): Promise<number | string> => {
    const { signal } = new AbortController();
    try {
      await using blob = await downloads.open({ ...place, digest }, signal);
      let sizeBytes = 0;
      for await (const chunk of blob.read(undefined, signal)) sizeBytes += chunk.length;
      return sizeBytes;
    } catch (error) {
      return faultFrom(error).kind;
    }
  };
  return { root, store, collector, downloads, stop, read };
}

/** The bytes of all files below a folder. */
function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

for (const isSizeKnown of [true, false])
  test(`Downloads at once stay below the limit of the cache, with sizes ${isSizeKnown ? 'known' : 'unknown'}: what does not fit beside the others is refused`, async (t) => {
    const contents = [8, 8, 8].map((size) => contentOf(size * mebibyte));
    const allOpened = Promise.withResolvers<void>();
    let opened = 0;
    // No byte comes before the registry has answered for every blob.
    const { root, read } = await openCache(t, async (digest) => {
      const bytes = contents.find((content) => content.digest === digest)?.bytes ?? Buffer.alloc(0);
      opened += 1;
      if (opened === contents.length) allOpened.resolve();
      const send = async function* () {
        await allOpened.promise;
        for (let start = 0; start < bytes.length; start += pieceBytes)
          yield bytes.subarray(start, start + pieceBytes);
      };
      return { size: isSizeKnown ? bytes.length : undefined, bytes: send() };
    });
    const results = await Promise.all(contents.map(({ digest }) => read(digest)));
    const wanted = [8 * mebibyte, 'resource-exhausted', 'resource-exhausted'];
    assert.deepEqual(results.sort(byText), wanted.sort(byText));
    assert.equal(bytesBelow(root), 8 * mebibyte);
  });

test('three blobs are downloaded at once, and the next one begins when one of them has ended', async (t) => {
  const contents = Array.from({ length: 5 }, () => contentOf(1000));
  const ends = new Map<string, () => void>();
  const ended = new Set<string>();
  const { read } = await openCache(t, async (digest) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(digest, resolve);
    const send = async function* () {
      await promise;
      yield contents.find((content) => content.digest === digest)?.bytes ?? Buffer.alloc(0);
    };
    return { size: 1000, bytes: send() };
  });
  const reads = Promise.all(contents.map(({ digest }) => read(digest)));
  const begun = (count: number) => eventually(() => ends.size === count, { what: `${count} downloads` });
  await begun(3);
  for (const count of [4, 5]) {
    const [digest = '', end] = [...ends].find(([each]) => !ended.has(each)) ?? [];
    ended.add(digest);
    end?.();
    await begun(count);
  }
  for (const end of ends.values()) end();
  assert.deepEqual(await reads, [1000, 1000, 1000, 1000, 1000]);
});

test('the reservation of a download ends with it, however it ends', async (t) => {
  const content = contentOf(9 * mebibyte);
  const { bytes } = content;
  type Send = () => AsyncGenerator<Uint8Array>;
  const endings: Record<string, Send> = {
    async *success() {
      yield bytes;
    },
    async *'data-loss'() {
      yield Buffer.alloc(bytes.length);
    },
    async *'permission-denied'() {
      yield bytes.subarray(0, 10);
      throw new Fault('permission-denied', 'the registry has changed its mind');
    },
  };
  for (const [name, send] of Object.entries(endings)) {
    const { collector, downloads, read } = await openCache(t, async () => ({
      ...{ size: bytes.length, bytes: send() },
    }));
    assert.equal(await read(content.digest), name === 'success' ? bytes.length : name);
    await downloads.ended();
    // What is on the disk now counts as used, and nothing else is taken.
    await collector.collect();
    const { usedBytes, limitBytes } = await collector.space();
    using room = collector.reserve('a probe');
    await room.extend(limitBytes - usedBytes);
    await assert.rejects(room.extend(limitBytes - usedBytes + 1), { kind: 'resource-exhausted' }, name);
  }
});

test('the reservation of a download that is stopped ends with it', async (t) => {
  const { digest, bytes } = contentOf(9 * mebibyte);
  const { collector, downloads, stop, read } = await openCache(t, async (_digest, _offset, signal) => {
    const send = async function* () {
      yield bytes.subarray(0, mebibyte);
      // The registry sends no more.
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    };
    return { size: bytes.length, bytes: send() };
  });
  const reading = read(digest);
  using room = collector.reserve('a probe');
  const isRefused = () =>
    room.extend(mebibyte * 2).then(
      () => false,
      () => true,
    );
  const hasBegun = () => (downloads.running()[0]?.download.writtenBytes ?? 0) > 0;
  await eventually(hasBegun, { what: 'the first bytes of the download' });
  assert.ok(await isRefused());
  stop.abort();
  assert.equal(await reading, 'cancelled');
  await downloads.ended();
  assert.ok(!(await isRefused()));
});

test('a download that was given up makes room for another one', async (t) => {
  const [left, wanted] = [contentOf(8 * mebibyte), contentOf(5 * mebibyte)];
  const { root, read, downloads } = await openCache(t, async (digest) => {
    const { bytes } = digest === left.digest ? left : wanted;
    const send = async function* () {
      yield bytes.subarray(0, 7 * mebibyte);
      if (digest === left.digest) throw new Fault('permission-denied', 'the registry has changed its mind');
    };
    return { size: bytes.length, bytes: send() };
  });
  assert.equal(await read(left.digest), 'permission-denied');
  await downloads.ended();
  assert.equal(bytesBelow(root), 7 * mebibyte);
  assert.equal(await read(wanted.digest), wanted.bytes.length);
  assert.equal(bytesBelow(root), wanted.bytes.length);
});

test('a download that fails fails for each of its readers, before its first bytes and after them', async (t) => {
  const { digest, bytes } = contentOf(mebibyte);
  for (const sentBytes of [0, mebibyte / 2]) {
    const gate = Promise.withResolvers<void>();
    const { read, downloads } = await openCache(t, async () => {
      const send = async function* () {
        yield bytes.subarray(0, sentBytes);
        await gate.promise;
        throw new Fault('permission-denied', 'the registry has changed its mind');
      };
      return { size: bytes.length, bytes: send() };
    });
    const reading = Promise.all([read(digest), read(digest), read(digest)]);
    const hasBegun = () => (downloads.running()[0]?.download.writtenBytes ?? -1) >= sentBytes;
    await eventually(hasBegun, { what: 'the first bytes of the download' });
    gate.resolve();
    assert.deepEqual(await reading, Array(3).fill('permission-denied'));
  }
});

test('a download begins after a removal of its file has ended', async (t) => {
  const { digest, bytes } = contentOf(mebibyte);
  const gate = Promise.withResolvers<void>();
  const removing = Promise.withResolvers<void>();
  const { root, store, collector, downloads, read } = await openCache(
    t,
    async (_digest, offset) => {
      const send = async function* () {
        yield bytes.subarray(offset);
      };
      return { size: bytes.length, bytes: send() };
    },
    ({ remove, ...others }) => ({
      ...others,
      async remove(path) {
        removing.resolve();
        await gate.promise;
        await remove(path);
      },
    }),
  );
  writeFileSync(store.unfinishedPath(digest), bytes.subarray(0, 1000));
  utimesSync(store.unfinishedPath(digest), 1, 1);
  const collecting = collector.collect();
  await removing.promise;
  const reading = read(digest);
  gate.resolve();
  assert.equal((await collecting).removedFiles, 1);
  assert.equal(await reading, bytes.length);
  await downloads.ended();
  assert.equal(bytesBelow(root), bytes.length);
});

const byText = (a: unknown, b: unknown) => String(a).localeCompare(String(b));
