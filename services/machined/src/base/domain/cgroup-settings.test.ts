import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cgroupSettings, cpuWeight, limitedCgroups } from './cgroup-settings.ts';

test('the weights of the reference come from its shares of processors', () => {
  const weights = [2000, 1500, 500, 250, 200, 100, 4000, 1000].map((millicores) => cpuWeight(millicores, 64));
  assert.deepEqual(weights, [79, 59, 20, 10, 8, 4, 157, 39]);
});

test('nothing gets a larger share than the machine has processors', () => {
  assert.equal(cpuWeight(4000, 2), cpuWeight(2000, 64));
});

test('a group keeps memory, has a limit where it needs one, and is never swapped', () => {
  assert.deepEqual(cgroupSettings('system/apid', 2, true), [
    { file: 'memory.min', value: '16777216' },
    { file: 'memory.low', value: '33554432' },
    { file: 'memory.max', value: '402653184' },
    { file: 'memory.swap.max', value: '0' },
    { file: 'cpu.weight', value: '20' },
  ]);
  assert.deepEqual(cgroupSettings('system/extensions/x', 2, true), []);
});

test('a node that shares its kernel has upper limits only', () => {
  assert.deepEqual(cgroupSettings('system/apid', 2, false), [{ file: 'memory.max', value: '402653184' }]);
  assert.deepEqual(cgroupSettings('podruntime/runtime', 2, false), []);
});

test('what a group keeps fits into what its parent keeps', () => {
  const kept = (path: string) =>
    Number(cgroupSettings(path, 2, true).find(({ file }) => file === 'memory.min')?.value ?? 0);
  for (const parent of ['system', 'podruntime']) {
    const children = limitedCgroups.filter((path) => path.startsWith(`${parent}/`));
    assert.ok(children.length > 1);
    assert.ok(children.reduce((sum, path) => sum + kept(path), 0) <= kept(parent));
  }
});
