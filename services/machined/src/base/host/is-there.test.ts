import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isThere } from './is-there.ts';

test('isThere() is false only for a path that is known to be missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'is-there-'));
  try {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'link'));
    symlinkSync('loop', join(folder, 'loop'));
    const paths = ['file', 'link', 'loop/below', 'missing'];
    assert.deepEqual(
      paths.map((path) => isThere(join(folder, path))),
      [true, true, true, false],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
