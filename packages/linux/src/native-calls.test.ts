import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const separate = ['--mount', '--pid', '--fork', '--kill-child'];
const skip =
  spawnSync('unshare', [...separate, 'true']).status === 0
    ? false
    : 'only root makes process namespaces, where it may';

/** As the first process: three shells end, and leave a process each, which ends soon. */
const program = `
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { loadNativeCalls } from ${JSON.stringify(join(import.meta.dirname, 'native-calls.ts'))};
const calls = await loadNativeCalls();
const shells = [1, 2, 3].map(() => spawn('/bin/sh', ['-c', 'sleep 0.01 & exit 0'], { stdio: 'ignore' }));
await Promise.all(shells.map((shell) => new Promise((done) => shell.on('exit', done))));
const forgotten = new Set();
while (forgotten.size < 3) {
  const ended = calls.endedChildren();
  // One at a time is forgotten, so that the others are still listed.
  for (const pid of ended.slice(0, 1)) {
    calls.forgetChild(pid);
    forgotten.add(pid);
  }
  await setTimeout(10);
}
process.stdout.write(JSON.stringify({ forgotten: forgotten.size, left: calls.endedChildren() }));
`;

for (const [how, words] of [
  ['all at once where the kernel lists them', ['--mount-proc']],
  ['one at a time elsewhere', []],
] as const)
  test(`the first process finds ended processes that it has inherited: ${how}`, { skip }, () => {
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('unshare', [...separate, ...words, ...node], {
      encoding: 'utf8',
      timeout: 60_000,
      // unshare ignores SIGTERM.
      killSignal: 'SIGKILL',
    });
    assert.equal(stdout, '{"forgotten":3,"left":[]}', stderr);
  });

const lacksUsers = spawnSync('unshare', ['--user', '--map-root-user', 'true']).status !== 0;

test('setRealTimeClock() reports that the kernel refuses it', {
  skip: lacksUsers && 'no user namespaces',
}, () => {
  // No user of a namespace may set the clock of its machine.
  const refused = `
    import { readFileSync } from 'node:fs';
    import { loadNativeCalls } from ${JSON.stringify(join(import.meta.dirname, 'native-calls.ts'))};
    const [, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\\s+/);
    if (count !== '1') throw new Error('not in a user namespace');
    const calls = await loadNativeCalls();
    try {
      calls.setRealTimeClock(Date.now());
      process.stdout.write('set');
    } catch (error) {
      process.stdout.write(error.code + ' ' + error.message);
    }
  `;
  const node = [process.execPath, '--input-type=module', '-e', refused];
  const { stdout, stderr } = spawnSync('unshare', ['--user', '--map-root-user', ...node], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(stdout, 'EPERM clock_settime: EPERM', stderr);
});
