import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { followNodeLogs } from './node-logs.ts';

test('followNodeLogs() joins no line of a file that begins again with the rest of what was there', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'node-logs-'));
  t.after(() => rm(path, { recursive: true }));
  const folder = clusterFolder(path);
  const log = folder.nodeLog('node01');
  const { signal } = new AbortController();
  await writeFile(log, 'first\nhalf a li');
  const lines = followNodeLogs(folder, ['node01'], { follow: true, signal });
  assert.deepEqual((await lines.next()).value, { node: 'node01', text: 'first' });
  await writeFile(log, 'second\n');
  assert.deepEqual((await lines.next()).value, { node: 'node01', text: 'second' });
  await lines.return(undefined);
});
