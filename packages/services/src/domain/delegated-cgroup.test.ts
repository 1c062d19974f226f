import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownCgroupFolder } from './delegated-cgroup.ts';

const mount = (root: string, point: string) =>
  `29 22 0:25 / /tmp rw - tmpfs tmpfs rw\n30 23 0:26 ${root} ${point} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n`;

test('ownCgroupFolder() finds the version 2 cgroup of a process below its mount point', () => {
  const scope = '0::/user.slice/user-1000.slice/run-1.scope\n';
  const rows = [
    [scope, mount('/', '/sys/fs/cgroup'), '/sys/fs/cgroup/user.slice/user-1000.slice/run-1.scope'],
    [`8:pids:/x\n${scope}`, mount('/', '/u'), '/u/user.slice/user-1000.slice/run-1.scope'],
    [scope, mount('/user.slice', '/c'), '/c/user-1000.slice/run-1.scope'],
    ['0::/a\n', mount('/a', '/c'), '/c'],
    ['0::/ab\n', mount('/a', '/c'), undefined],
    ['0::/\n', mount('/', '/sys/fs/cgroup'), undefined],
    ['8:pids:/x\n', mount('/', '/sys/fs/cgroup'), undefined],
    [scope, '', undefined],
  ] as const;
  for (const [membership, mounts, folder] of rows)
    assert.equal(ownCgroupFolder({ membership, mounts }), folder, membership);
});
