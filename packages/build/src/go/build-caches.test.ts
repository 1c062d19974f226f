import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedCache } from '../cache-folder.ts';
import { buildCaches } from './build-caches.ts';

test('buildCaches() uses nothing of the machine but the folder that BUILD_CACHE names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'build-caches-'));
  try {
    const own = join(folder, 'checkout/_out/tools');
    const cache = join(folder, 'cache');
    assert.deepEqual(buildCaches(join(folder, 'checkout'), { BUILD_CACHE: cache }), {
      writable: cache,
      readable: [cache, own],
    });
    const { readable } = buildCaches(join(folder, 'checkout'), { BUILD_CACHE: '', XDG_CACHE_HOME: folder });
    assert.equal(readable[0], sharedCache);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
