import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { openKernelFile } from './kernel-file.ts';

test('openKernelFile() reads the current content each time from one descriptor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-file-'));
  try {
    const path = join(folder, 'counter');
    writeFileSync(path, 'first');
    using file = openKernelFile(path);
    assert.equal(file.readText(), 'first');
    for (const text of ['', 'second é', 'x'.repeat(100_000), 'short']) {
      writeFileSync(path, text);
      assert.equal(file.readText(), text);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('openKernelFile() reads a procfs file to its end, though the kernel returns it in pieces', () => {
  using file = openKernelFile('/proc/self/smaps');
  const text = file.readText();
  assert.ok(text.length > 16 * 1024, `only ${text.length} characters`);
  assert.ok(text.endsWith('\n'));
});

test('openKernelFile() names a path that it cannot open', () => {
  assert.throws(
    () => openKernelFile('/proc/no-such-file'),
    (error) =>
      error instanceof Fault && error.kind === 'not-found' && error.message.includes('"/proc/no-such-file"'),
  );
});
