import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { enterInitCgroup } from './machine-cgroups.ts';

test('enterInitCgroup() moves machined to its leaf and enables the controllers that the kernel has', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cgroups-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'cgroup.controllers'), 'cpu memory pids misc\n');
  await enterInitCgroup(folder, 1);
  assert.equal(readFileSync(join(folder, 'init', 'cgroup.procs'), 'utf8'), '1');
  assert.equal(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8'), '+cpu +memory +pids');
});
