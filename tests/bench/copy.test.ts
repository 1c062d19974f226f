// A single short run of the copy measurement: `node --test tests/bench/copy.test.ts`. Needs the bundles.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findProcesses } from './process-memory.ts';

test('copy.ts copies both trees without a difference, writes its figures and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'figures-'));
  try {
    const out = join(folder, 'copy.json');
    const program = join(import.meta.dirname, 'copy.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick', '--out', out], {
      env: { ...process.env, TMPDIR: folder },
    });
    const { results } = JSON.parse(readFileSync(out, 'utf8')) as {
      results: Record<string, number | string>[];
    };
    assert.deepEqual(
      results.map(({ what }) => what),
      ['5000 small files', 'one sparse file of 64 MiB'],
    );
    for (const { tarGzip, copy, speed, peakMemory } of results) {
      assert.ok([tarGzip, copy, speed, peakMemory].every((figure) => Number(figure) > 0));
    }
    assert.match(stdout, /Every copy had the names, content/);
    assert.deepEqual(findProcesses(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
