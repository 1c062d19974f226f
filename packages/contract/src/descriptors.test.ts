import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descriptorSet } from './gen/descriptors.ts';

test('descriptorSet() contains the descriptors of the contracts, without their comments', () => {
  const text = Buffer.from(descriptorSet()).toString('latin1');
  const present = [
    'machine/machine.proto',
    'grpc/health/v1/health.proto',
    'suite/runtime/v1/runtime.proto',
    'google/protobuf/empty.proto',
    'Runs a node: its configuration',
  ].filter((name) => text.includes(name));
  assert.deepEqual(present, [
    'machine/machine.proto',
    'grpc/health/v1/health.proto',
    'suite/runtime/v1/runtime.proto',
    'google/protobuf/empty.proto',
  ]);
});

test('descriptorSet() decodes once', () => {
  assert.equal(descriptorSet(), descriptorSet());
});
