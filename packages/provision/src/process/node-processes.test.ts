import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { readNodeProcesses, serviceName } from './node-processes.ts';

test('serviceName() is the name of the bundle of a daemon, and of any other program', () => {
  assert.deepEqual(
    [
      ['/n/bin/node', '--permission', '--allow-fs-read=/d/trustd/a.cjs', '/d/apid/apid.cjs', '--root', '/r'],
      ['/t/kube-apiserver', '--v=1'],
      [],
    ].map(serviceName),
    ['apid', 'kube-apiserver', ''],
  );
});

test('readNodeProcesses() finds the process of a node and those that it started, and none of a node that is stopped', () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'x/service.cjs'], {
    stdio: 'ignore',
  });
  try {
    const node = { name: 'node01', type: 'controlplane', address: '127.0.0.1', state: 'running' } as const;
    const found = readNodeProcesses([
      { ...node, pid: process.pid },
      { ...node, name: 'node02' },
    ]);
    const names = found.get('node01')?.map(({ pid, name }) => [pid, name]);
    assert.ok(names?.some(([pid]) => pid === process.pid));
    assert.ok(names?.some(([pid, name]) => pid === child.pid && name === 'service'));
    assert.deepEqual(found.get('node02'), []);
  } finally {
    child.kill('SIGKILL');
  }
});
