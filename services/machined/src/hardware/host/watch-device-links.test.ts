import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { watchDeviceLinks } from './watch-device-links.ts';

const folder = mkdtempSync(join(tmpdir(), 'disk-'));
after(() => rmSync(folder, { recursive: true }));

test('watchDeviceLinks() reports a new link, and a new folder', async () => {
  mkdirSync(join(folder, 'by-id'));
  for (const make of [
    () => symlinkSync('../../vda', join(folder, 'by-id/a')),
    () => mkdirSync(join(folder, 'by-uuid')),
  ]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using watch = watchDeviceLinks(resolve, folder);
    assert.ok(watch);
    make();
    // The watch does not keep the process alive.
    const timer = setTimeout(() => reject(new Error('nothing was told within 15 s')), 15_000);
    await promise.finally(() => clearTimeout(timer));
  }
});

test('watchDeviceLinks() returns undefined without a folder of links', () => {
  assert.equal(
    watchDeviceLinks(() => {}, join(folder, 'missing')),
    undefined,
  );
});
