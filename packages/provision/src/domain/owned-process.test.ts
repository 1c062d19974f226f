import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterVariable, isOwnedBy } from './owned-process.ts';

const folder = '/home/user/_out/talos/clusters/c';

test('isOwnedBy() recognises a process by the exact folder in its environment', () => {
  const process = (value: string) => ({
    group: 1,
    args: [],
    environment: ['A=b', `${clusterVariable}=${value}`],
  });
  assert.deepEqual(
    [folder, `${folder}2`, `${folder}/`, ''].map((value) => isOwnedBy(folder, process(value), new Set())),
    [true, false, false, false],
  );
});

test('isOwnedBy() recognises a supervisor that was started by hand', () => {
  const started = (...args: string[]) => isOwnedBy(folder, { group: 1, args, environment: [] }, new Set());
  const program = '/dist/process-supervisor/process-supervisor.cjs';
  assert.deepEqual(
    [
      started('node', program, '--folder', folder),
      started('node', program, '--folder', `${folder}2`),
      started('node', program),
      started('tail', '--folder', folder),
    ],
    [true, false, false, false],
  );
});

test('isOwnedBy() accepts a child without the variable only in a recorded group and with a path in the folder', () => {
  const child = {
    group: 7,
    args: ['node', 'apid.cjs', '--runtime-socket', `${folder}/nodes/node01/x`],
    environment: [],
  };
  assert.deepEqual(
    [
      isOwnedBy(folder, child, new Set([7])),
      // A user's process that reads a file of the cluster.
      isOwnedBy(folder, { ...child, group: 8 }, new Set([7])),
      // The kernel has reused a recorded group id for another process.
      isOwnedBy(folder, { ...child, args: ['vim', '/etc/hosts'] }, new Set([7])),
    ],
    [true, false, false],
  );
});
