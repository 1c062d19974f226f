// The rights of a node's programs on the host that they run on.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNode } from './harness/node-under-test.ts';

const statusOf = (pid: number | 'self') =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/status`, 'utf8')
      .split('\n')
      .map((line) => line.split(/:\s*/, 2)),
  );

test('a service has no capability and can gain none, and is as easy to kill as other programs', async () => {
  await using node = await startNode();
  await node.serviceSays('trustd', /Health check successful/);
  const pids = [...node.machined.stdout().matchAll(/started with PID (\d+)/g)].map(([, pid]) => Number(pid));
  assert.equal(pids.length, 3);
  for (const pid of pids) {
    const { CapEff, CapPrm, CapBnd, NoNewPrivs } = statusOf(pid);
    assert.deepEqual([CapEff, CapPrm, NoNewPrivs], ['0'.repeat(16), '0'.repeat(16), '1']);
    // An unprivileged process may not empty its bounding set and need not: with no_new_privs it cannot use
    // it.
    if (process.getuid?.() === 0) assert.equal(CapBnd, '0'.repeat(16));
    const score = (of: number | 'self') => readFileSync(`/proc/${of}/oom_score_adj`, 'utf8');
    assert.equal(score(pid), score('self'));
  }
  // machined itself reads kernel data for authorized callers.
  assert.equal(statusOf(node.machined.pid).CapEff, statusOf('self').CapEff);
});

test('a service run by root may traverse folders of other users when a program of the node is below one', {
  skip: process.getuid?.() === 0 ? false : 'only root has rights to keep',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-rights-'));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  // A folder of another user, closed to all others.
  chownSync(folder, 12_345, 12_345);
  chmodSync(folder, 0o700);
  await using node = await startNode({ args: ['--etcd-binary', join(folder, 'bin', 'etcd')] });
  await node.serviceSays('apid', /started with PID/);
  const [, pid] = /started with PID (\d+)/.exec(node.machined.stdout()) ?? [];
  // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
  assert.equal(statusOf(Number(pid)).CapBnd, '6'.padStart(16, '0'));
});
