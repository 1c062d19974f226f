import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerRunnerText, taskErrorText, taskSignalText, taskStartedText } from './container-text.ts';

test('the messages in the history of a container match those of Talos', () => {
  assert.equal(containerRunnerText('containerd', 'etcd'), 'Containerd(etcd)');
  assert.equal(taskStartedText('etcd', 42), 'Started task etcd (PID 42) for container etcd');
  assert.equal(
    taskSignalText('SIGTERM', 'etcd', 42),
    'Sending SIGTERM to task etcd (PID 42, container etcd)',
  );
  assert.equal(taskErrorText('etcd', 0, 'bye'), undefined);
  assert.equal(taskErrorText('etcd', 137, ''), 'task "etcd" failed: exit code 137');
  assert.equal(
    taskErrorText('etcd', 1, 'no\ngood'),
    'task "etcd" failed: exit code 1 (last log "no\\ngood")',
  );
});
