import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryState } from '@nodewright/state';
import { servicePids } from '@nodewright/state/kinds';
import { recordServicePid } from './record-service-pid.ts';

test('the process of a service is published while it runs, also when it ends at once', async () => {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  const pids = async () => {
    await turn();
    return (await state.list(servicePids)).map(({ metadata, spec }) => [metadata.id, metadata.owner, spec]);
  };
  const watcher = recordServicePid(state, 'apid');
  watcher.started(process.pid);
  const mountNamespace = readlinkSync('/proc/self/ns/mnt');
  assert.match(mountNamespace, /^mnt:\[\d+\]$/);
  assert.deepEqual(await pids(), [['apid', '', { pid: process.pid, mountNamespace }]]);

  watcher.ended();
  watcher.started(2 ** 30);
  assert.deepEqual(await pids(), [['apid', '', { pid: 2 ** 30, mountNamespace: '' }]]);
  watcher.ended();
  assert.deepEqual(await pids(), []);
});
