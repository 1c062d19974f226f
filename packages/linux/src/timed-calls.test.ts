import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import koffi from 'koffi';
import { createTimedCalls } from './timed-calls.ts';

const timed = createTimedCalls(koffi.load('libc.so.6'));

test('runInThread() goes on when a function has not returned in time', () => {
  assert.equal(timed.runInThread('pause', 50), false);
});

const separate = ['--mount', '--pid', '--fork', '--kill-child'];
const skip =
  spawnSync('unshare', [...separate, 'true']).status === 0
    ? false
    : 'only root makes process namespaces, where it may';

test('endMachineLater() ends a machine whose first process waits without an end', { skip }, () => {
  // In a process namespace of its own reboot(2) ends that namespace: its first process gets SIGHUP, or SIGINT to switch off.
  const program = `
    import { loadNativeCalls } from ${JSON.stringify(join(import.meta.dirname, 'native-calls.ts'))};
    const calls = await loadNativeCalls();
    if (process.pid !== 1) throw new Error('not the first process of a namespace');
    calls.endMachineLater(Number(process.argv[1]), 50);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  `;
  const endBy = (command: number) => {
    const node = [process.execPath, '--input-type=module', '-e', program, String(command)];
    const { signal, stderr } = spawnSync('unshare', [...separate, ...node], {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    return `${signal} ${stderr}`;
  };
  assert.equal(endBy(0x0123_4567), 'SIGHUP ');
  assert.equal(endBy(0x4321_fedc), 'SIGINT ');
});
