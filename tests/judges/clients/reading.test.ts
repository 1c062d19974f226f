// How what a client prints is read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOfClient } from './rust-clients.ts';

const idsOf = (output: string) => findingsOfClient(output).map(({ id }) => id);

test('findingsOfClient() accepts answers, and refusals where the node must refuse', () => {
  const lines = [
    'ok version: VersionResponse { messages: [] }',
    'failed bootstrap: status: AlreadyExists, message: "etcd data directory is not empty"',
    'failed apply_configuration: InvalidArgument: invalid YAML',
  ];
  assert.deepEqual(idsOf(lines.join('\n')), []);
});

test('findingsOfClient() refuses failures, wrong answers, and what should have been refused', () => {
  assert.deepEqual(idsOf('failed connect: transport error'), ['connect failed']);
  assert.deepEqual(idsOf('ok hostname: 0\nok memory: Some(false)'), [
    'hostname answered wrongly',
    'memory answered wrongly',
  ]);
  assert.deepEqual(idsOf('ok bootstrap: 1'), ['bootstrap answered wrongly']);
  assert.deepEqual(idsOf('failed bootstrap: transport error'), ['bootstrap answered wrongly']);
  assert.deepEqual(idsOf('Segmentation fault'), ['not understood: Segmentation fault']);
  assert.deepEqual(idsOf(''), ['no call was made']);
});
