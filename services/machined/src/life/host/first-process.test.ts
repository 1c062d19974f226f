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
function endOf(code: number, { isKernelLoaded = false, refusesKexec = false, hangs = false } = {}): string[] {
  const done: string[] = [];
  const process = new EventEmitter();
  const calls = {
    detachMount(target: Uint8Array) {
      if (Buffer.from(target).toString() !== '/var\0') throw new Error('not mounted');
      done.push('detach');
    },
    endMachineLater: (command: number, delayMs: number) =>
      void done.push(`${command.toString(16)} after ${delayMs}`),
    syncFileSystems(timeoutMs: number) {
      done.push(`sync ${timeoutMs}`);
      return !hangs;
    },
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

/** The steps of a machine whose disks answer, and that ends with a command. */
const stored = (command: string) => [`${command} after 45000`, 'sync 30000', 'detach', command];

test('endMachineAtExit() ends a machine whose disk hangs, without waiting for its file systems', () => {
  const hangs = true;
  const line = 'a disk has not answered for 30 s: the machine ends all the same';
  assert.deepEqual(endOf(nodeExitCodes.reboot, { hangs }), [
    ...['kill', '1234567 after 45000', 'sync 30000', line, '1234567'],
  ]);
  const kexec = endOf(nodeExitCodes.kexec, { hangs, isKernelLoaded: true });
  assert.deepEqual(kexec.slice(-3), [line, '45584543', '1234567']);
});

test('endMachineAtExit() switches off, restarts, and restarts after a pause when machined crashed', () => {
  assert.deepEqual(endOf(0), ['kill', ...stored('4321fedc')]);
  assert.deepEqual(endOf(nodeExitCodes.reboot), ['kill', ...stored('1234567')]);
  const line = 'machined has ended with exit code 1: the machine restarts in 10 s';
  assert.deepEqual(endOf(1), [line, 'pause 10000', 'kill', ...stored('1234567')]);
});

test('endMachineAtExit() starts a loaded kernel when it is asked to, and restarts when the kernel refuses', () => {
  const isKernelLoaded = true;
  const [first] = endOf(nodeExitCodes.kexec, { isKernelLoaded }).slice(4);
  assert.equal(first, '45584543');
  assert.deepEqual(endOf(nodeExitCodes.kexec), ['kill', ...stored('1234567')]);
  assert.deepEqual(endOf(nodeExitCodes.reboot, { isKernelLoaded }), ['kill', ...stored('1234567')]);
  assert.deepEqual(endOf(nodeExitCodes.kexec, { isKernelLoaded, refusesKexec: true }), [
    ...['kill', '1234567 after 45000', 'sync 30000', 'detach'],
    'the loaded kernel cannot be started (reboot: EINVAL): the machine restarts',
    '1234567',
  ]);
  assert.deepEqual(endOf(0, { isKernelLoaded }), ['kill', ...stored('4321fedc')]);
  assert.equal(endOf(1, { isKernelLoaded }).at(-1), '1234567');
});
