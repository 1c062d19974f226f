import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHiddenOnHost } from './shown-host-files.ts';

test('a node of processes shows kernel files of the host, but none that belong to other programs', () => {
  const shown = [
    '/proc',
    '/proc/cpuinfo',
    '/proc/1',
    '/proc/1/stat',
    '/proc/1/task/1/status',
    '/proc/1/net/tcp',
    '/proc/sys/kernel/random/boot_id',
    '/sys/fs/cgroup/cpu.stat',
    '/sys/kernel/debugger',
    '/dev/null',
  ];
  const hidden = [
    '/proc/1/environ',
    '/proc/1/root',
    '/proc/1/root/etc/shadow',
    '/proc/1/cwd',
    '/proc/1/exe',
    '/proc/1/fd/3',
    '/proc/1/mem',
    '/proc/1/task/7/environ',
    '/proc/1/task/7/fd',
    '/proc/1/anything-new',
    '/proc/kcore',
    '/proc/kmsg',
    '/sys/kernel/debug',
    '/sys/kernel/tracing/trace_pipe',
    '/dev/shm/secret',
  ];
  assert.deepEqual(
    shown.filter((path) => isHiddenOnHost(path)),
    [],
  );
  assert.deepEqual(
    hidden.filter((path) => !isHiddenOnHost(path)),
    [],
  );
});
