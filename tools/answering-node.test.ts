import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAnsweringNode } from './answering-node.ts';

const main = join(import.meta.dirname, '..', 'cli', 'talosctl', 'src', 'main.ts');

test('the node of a build answers a talosctl that knows nothing but its arguments', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'answering-node-'));
  t.after(() => rmSync(folder, { recursive: true }));
  await using node = await startAnsweringNode(folder);
  // A build sets no variable of the environment either.
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...node.words, 'memory'], {
    env: {},
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^NODE +TOTAL .*\n127\.0\.0\.1 +7812 /);
});
