import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMachineRequest } from './check-machine-request.ts';

const check = (controlPlanes: number, workers: number, cidr?: string) => () =>
  checkMachineRequest({ shape: { controlPlanes, workers }, cidr });

test('checkMachineRequest() accepts one control plane', () => {
  check(1, 0)();
});

test('checkMachineRequest() says why more machines, a worker alone or another network are rejected', () => {
  assert.throws(check(1, 1), {
    kind: 'unimplemented',
    message:
      'a qemu cluster has one machine, a control plane, not 2: a network between machines is not implemented',
  });
  assert.throws(check(3, 0), { kind: 'unimplemented', message: /not 3: a network between machines/ });
  assert.throws(check(0, 1), { kind: 'invalid-argument', message: /control planes must be at least 1/ });
  assert.throws(check(1, 0, '10.5.0.0/24'), { kind: 'invalid-argument', message: /leave --cidr out/ });
});
