import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { nodeExitCodes } from '@nodewright/contract';
import { FakeTimers } from '@nodewright/controllers/testing';
import { restartCommands } from '../domain/node-event.ts';
import { endMachineAtExit, reapOrphans } from './first-process.ts';

function openOrphans(...ended: number[]) {
  const timers = new FakeTimers();
  const forgotten: number[] = [];
  const calls = {
    endedChildren: () => [...ended],
    forgetChild(pid: number) {
      forgotten.push(pid);
      ended.splice(ended.indexOf(pid), 1);
    },
  };
  return { timers, ended, forgotten, calls, pass: (ms: number) => timers.step(timers.now() + ms) };
}

test('reapOrphans() removes all processes that are still there at the second look, and no other', () => {
  const { timers, ended, forgotten, calls, pass } = openOrphans(7, 8, 9);
  const reaping = reapOrphans(calls, timers);
  assert.deepEqual(forgotten, []);
  // Node.js has waited for this child itself.
  ended.splice(ended.indexOf(8), 1);
  ended.push(10);
  pass(100);
  assert.deepEqual(forgotten, [7, 9]);
  pass(100);
  assert.deepEqual(forgotten, [7, 9, 10]);
  ended.push(11);
  pass(4000);
  assert.deepEqual(forgotten, [7, 9, 10]);
  pass(1000);
  pass(100);
  assert.deepEqual(forgotten, [7, 9, 10, 11]);
  reaping[Symbol.dispose]();
  ended.push(12);
  pass(60_000);
  assert.deepEqual(forgotten, [7, 9, 10, 11]);
});

test('reapOrphans() leaves a process that is awaited, which does not delay the others', () => {
  const { timers, forgotten, calls, pass } = openOrphans(7, 8);
  using _reaping = reapOrphans(calls, timers, (pid) => pid === 7);
  pass(100);
  assert.deepEqual(forgotten, [8]);
  pass(60_000);
  assert.deepEqual(forgotten, [8]);
});

/** What happens to the machine when process 1 exits with this code. */
function endOf(code: number, { isKernelLoaded = false, refusesKexec = false } = {}): string[] {
  const done: string[] = [];
  const process = new EventEmitter();
  const calls = {
    detachMount(target: Uint8Array) {
      if (Buffer.from(target).toString() !== '/var\0') throw new Error('not mounted');
      done.push('detach');
    },
    syncFileSystems: () => void done.push('sync'),
    endMachine(command: number) {
      if (refusesKexec && command === restartCommands.kexec) throw new Error('reboot: EINVAL');
      done.push(command.toString(16));
    },
  };
  const report = (line: string) => void done.push(line);
  const pause = (ms: number) => void done.push(`pause ${ms}`);
  const killOthers = () => void done.push('kill');
  endMachineAtExit({ calls, killOthers, pause, report, isKernelLoaded: () => isKernelLoaded }, process);
  process.emit('exit', code);
  return done;
}

test('endMachineAtExit() switches off, restarts, and restarts after a pause when machined crashed', () => {
  assert.deepEqual(endOf(0), ['kill', 'sync', 'detach', '4321fedc']);
  assert.deepEqual(endOf(nodeExitCodes.reboot), ['kill', 'sync', 'detach', '1234567']);
  const line = 'machined has ended with exit code 1: the machine restarts in 10 s';
  assert.deepEqual(endOf(1), [line, 'pause 10000', 'kill', 'sync', 'detach', '1234567']);
});

test('endMachineAtExit() starts a loaded kernel when it is asked to, and restarts when the kernel refuses', () => {
  const isKernelLoaded = true;
  const [first] = endOf(nodeExitCodes.kexec, { isKernelLoaded }).slice(3);
  assert.equal(first, '45584543');
  assert.deepEqual(endOf(nodeExitCodes.kexec), ['kill', 'sync', 'detach', '1234567']);
  assert.deepEqual(endOf(nodeExitCodes.reboot, { isKernelLoaded }), ['kill', 'sync', 'detach', '1234567']);
  assert.deepEqual(endOf(nodeExitCodes.kexec, { isKernelLoaded, refusesKexec: true }), [
    ...['kill', 'sync', 'detach'],
    'the loaded kernel cannot be started (reboot: EINVAL): the machine restarts',
    '1234567',
  ]);
  assert.deepEqual(endOf(0, { isKernelLoaded }), ['kill', 'sync', 'detach', '4321fedc']);
  assert.equal(endOf(1, { isKernelLoaded }).at(-1), '1234567');
});
