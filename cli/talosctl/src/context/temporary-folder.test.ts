import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TemporaryFolder } from './temporary-folder.ts';

test('TemporaryFolder is private, and disposing removes it unless it is kept', async () => {
  for (const isKept of [false, true]) {
    const listeners = process.listenerCount('exit');
    const folder = await TemporaryFolder.create('talosctl-test-');
    assert.equal(statSync(folder.path).mode & 0o777, 0o700);
    if (isKept) folder.keep();
    await folder[Symbol.asyncDispose]();
    assert.equal(existsSync(folder.path), isKept);
    assert.equal(process.listenerCount('exit'), listeners);
    rmSync(folder.path, { recursive: true, force: true });
  }
});

test('TemporaryFolder is removed by a process that exits without disposing of it, unless it is kept', () => {
  const root = mkdtempSync(join(tmpdir(), 'talosctl-test-'));
  const module = JSON.stringify(new URL('temporary-folder.ts', import.meta.url).href);
  try {
    for (const [keep, left] of [
      ['', 0],
      ['folder.keep();', 1],
    ] as const) {
      const script = `
        import { writeFileSync } from 'node:fs';
        const { TemporaryFolder } = await import(${module});
        const folder = await TemporaryFolder.create('x-');
        writeFileSync(folder.path + '/key', 'secret');
        ${keep}
        process.exit(3);`;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
        env: { ...process.env, TMPDIR: root },
        encoding: 'utf8',
      });
      assert.equal(status, 3, stderr);
      assert.equal(readdirSync(root).length, left);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
