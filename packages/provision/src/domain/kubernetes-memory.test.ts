import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineMemory, memoryProblem, processMemory } from './kubernetes-memory.ts';

const meminfo = (mebibytes: number) => `MemTotal: 9 kB\nMemAvailable: ${mebibytes * 1024} kB\n`;
const shape = { controlPlanes: 3, workers: 1 };

test('memoryProblem() names what is needed and what is there', () => {
  assert.equal(
    memoryProblem(shape, processMemory, meminfo(1000)),
    'Kubernetes on 3 control planes and 1 worker needs about 1410 MiB of memory (450 MiB for each control plane), and 1000 MiB are available: use fewer control planes',
  );
});

test('memoryProblem() accepts a cluster that fits, and a kernel that does not say', () => {
  assert.equal(memoryProblem(shape, processMemory, meminfo(1410)), undefined);
  assert.equal(memoryProblem(shape, processMemory, 'MemTotal: 9 kB\n'), undefined);
});

test('memoryProblem() of a single machine proposes no fewer', () => {
  assert.equal(
    memoryProblem({ controlPlanes: 1, workers: 0 }, machineMemory, meminfo(3000)),
    'Kubernetes on 1 control plane and 0 workers needs about 4096 MiB of memory (4096 MiB for each control plane), and 3000 MiB are available',
  );
});
