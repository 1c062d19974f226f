import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('a process that exits in the middle of a file leaves the files before it, and not that one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'extraction-'));
  try {
    const program = `import { Extraction } from ${JSON.stringify(join(import.meta.dirname, 'extraction.ts'))};
      const extraction = new Extraction(${JSON.stringify(folder)});
      const header = { type: 'file', mode: 0o644, mtime: new Date(0) };
      await extraction.add({ ...header, name: 'whole' }, (async function* () { yield Buffer.from('whole'); })());
      await extraction.add({ ...header, name: 'part' }, (async function* () { yield Buffer.from('a part'); process.exit(3); })());`;
    const words = ['--input-type=module-typescript', '-e', program];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 3, stderr);
    assert.deepEqual(readdirSync(folder), ['whole']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
