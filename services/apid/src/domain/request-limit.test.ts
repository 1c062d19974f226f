import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodTable, roles } from '@nodewright/contract';
import { mayCall } from './may-call.ts';
import { maxRequestBytes } from './request-limit.ts';

test('maxRequestBytes() allows long requests only to existing methods that no reader may call', () => {
  const long = Object.entries(methodTable).filter(
    ([path]) => maxRequestBytes(path, [roles.operator]) > 64 * 1024,
  );
  const named = Object.entries(methodTable).filter(([, { request }]) => request !== undefined);
  assert.ok(named.length > 0);
  assert.deepEqual(long, named);
  assert.deepEqual(
    long.filter(([path]) => mayCall(path, [roles.reader], false)),
    [],
  );
  assert.equal(maxRequestBytes('/no.such.Service/Method', [roles.reader]), 64 * 1024);
  assert.equal(
    maxRequestBytes('/machine.MachineService/Version', [roles.reader, roles.admin]),
    32 * 1024 * 1024,
  );
  // The configuration that a node accepts, as YAML, and the rest of the message.
  for (const role of [roles.reader, roles.admin]) {
    assert.equal(
      maxRequestBytes('/machine.MachineService/ApplyConfiguration', [role]),
      (8 * 1024 + 64) * 1024,
    );
  }
});
