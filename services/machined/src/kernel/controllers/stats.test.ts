import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo } from '@nodewright/state';
import { cpuStats, memoryStats } from '@nodewright/state/kinds';
import { statsController } from './stats.ts';

test('processor time and memory are read every 30 seconds', async () => {
  const files: Record<string, string> = {
    '/proc/stat': 'cpu  100 0 50 0\ncpu0 100 0 50 0\nctxt 7\n',
    '/proc/meminfo': 'MemTotal: 1000 kB\nMemFree: 400 kB\n',
  };
  await using runtime = openTestRuntime({
    controllers: [statsController({ read: (path) => files[path] ?? '' })],
  });
  const { state } = runtime;
  const numbers = async () => {
    const cpu = (await state.get(pointerTo(cpuStats, 'latest'))).spec;
    const memory = (await state.get(pointerTo(memoryStats, 'latest'))).spec;
    return [cpu.cpuTotal.user, cpu.cpu.length, cpu.contextSwitches, memory.total, memory.used];
  };
  await runtime.settled();
  assert.deepEqual(await numbers(), [1, 1, 7, 1000, 600]);
  files['/proc/meminfo'] = 'MemTotal: 1000 kB\nMemFree: 100 kB\n';
  await runtime.advance(29_000);
  assert.deepEqual((await numbers()).at(-1), 600);
  await runtime.advance(1000);
  assert.deepEqual((await numbers()).at(-1), 900);
});
