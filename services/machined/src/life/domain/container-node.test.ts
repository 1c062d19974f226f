import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cgroupAccess, missingCapabilities } from './container-node.ts';

const needed = [
  { name: 'CHOWN', number: 0, why: 'gives files' },
  { name: 'SETFCAP', number: 31, why: 'unpacks files' },
];

test('missingCapabilities() has a line for each capability that is not effective', () => {
  assert.deepEqual(missingCapabilities(needed, (1n << 31n) | 1n), []);
  assert.deepEqual(missingCapabilities(needed, 1n << 31n), [
    'the engine did not grant CHOWN, with which a node gives files',
  ]);
  assert.equal(missingCapabilities(needed, 0n).length, 2);
});

const folder = '/sys/fs/cgroup';
const own = 'cgroup:[4026532253]';
const mounted = (options: string, type: string) =>
  `31 30 0:26 / ${folder} ${options} - ${type} cgroup rw,nsdelegate\n`;

test('cgroupAccess() mounts control groups again where the engine has not made them writable', () => {
  const kindOf = (mounts: string) => cgroupAccess({ folder, mounts, namespace: own }).kind;
  assert.equal(kindOf(mounted('rw,nosuid', 'cgroup2')), 'present');
  assert.equal(kindOf(mounted('ro,nosuid', 'cgroup2')), 'mount');
  // Version 1: a memory file system with one mount per controller below it.
  assert.equal(kindOf(mounted('rw,nosuid', 'tmpfs')), 'mount');
  assert.equal(kindOf(''), 'mount');
  // The second mount hides the first.
  assert.equal(kindOf(mounted('ro', 'cgroup2') + mounted('rw', 'cgroup2')), 'present');
});

test('cgroupAccess() never touches the control groups of the host', () => {
  const mounts = mounted('rw', 'cgroup2');
  const access = cgroupAccess({ folder, mounts, namespace: 'cgroup:[4026531835]' });
  assert.equal(access.kind, 'refused');
});
