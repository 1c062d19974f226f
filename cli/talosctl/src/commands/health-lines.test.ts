import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthLines } from './health-lines.ts';

test('HealthLines prints one line for each check, with the state that it ends with', () => {
  const lines = new HealthLines();
  const taken = [
    'discovered nodes: ["10.0.0.1"]',
    'waiting for etcd to be healthy: ...',
    'waiting for etcd to be healthy: service "etcd" is Preparing',
    'waiting for etcd to be healthy: OK',
    'waiting for pods: ...',
    'waiting for pods: SKIP',
    'waiting for time: ...',
  ].map((line) => lines.take(line));
  assert.deepEqual(taken, [
    'discovered nodes: ["10.0.0.1"]',
    undefined,
    undefined,
    'waiting for etcd to be healthy: OK',
    undefined,
    'waiting for pods: SKIP',
    undefined,
  ]);
  assert.equal(lines.end(), 'waiting for time');
  lines.take('waiting for time: node02: no answer');
  assert.deepEqual(
    [lines.pending, lines.end()],
    ['time: node02: no answer', 'waiting for time: node02: no answer'],
  );
  assert.deepEqual(lines.states, [
    { check: 'etcd to be healthy', state: 'OK' },
    { check: 'pods', state: 'SKIP' },
    { check: 'time', state: 'node02: no answer' },
  ]);
});
