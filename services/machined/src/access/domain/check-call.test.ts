import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MethodRule, methodTable, type Role, roles } from '@nodewright/contract';
import fc from 'fast-check';
import { rolesFromMetadata } from './caller-roles.ts';
import { type CallSurroundings, checkCall } from './check-call.ts';

const machine = (method: string) => methodTable[`/machine.MachineService/${method}`] as MethodRule;
const controlPlane: CallSurroundings = {
  isControlPlane: true,
  isMaintenance: false,
  refusesMachineCalls: false,
};
const worker = { ...controlPlane, isControlPlane: false };
const caller = (...names: Role[]) => new Set(names);
const anyCaller = fc.subarray(Object.values(roles)).map((names) => new Set(names));
const anyNode = fc.record({
  isControlPlane: fc.boolean(),
  isMaintenance: fc.boolean(),
  refusesMachineCalls: fc.boolean(),
});

function answer(rule: MethodRule | undefined, who: ReadonlySet<Role>, node: CallSurroundings): unknown {
  const fault = checkCall(rule, who, node);
  return fault === undefined ? 'passes' : [fault.kind, fault.message];
}

test('checkCall() lets a caller in exactly when the table gives the method to one of its roles', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(methodTable)), anyCaller, anyNode, (rule, who, node) => {
      const hasRole = rule.roles.some((role) => who.has(role));
      const passes = hasRole && (!rule.maintenance || node.isMaintenance || who.has('os:admin'));
      assert.equal(checkCall(rule, who, node)?.kind === 'permission-denied', !passes);
    }),
  );
});

test('checkCall() refuses a stranger before it says what the node lacks', () => {
  assert.deepEqual(answer(machine('Bootstrap'), caller('os:reader'), worker), [
    'permission-denied',
    'not authorized',
  ]);
  assert.deepEqual(answer(machine('Reboot'), caller(), { ...worker, refusesMachineCalls: true }), [
    'permission-denied',
    'not authorized',
  ]);
});

test('checkCall() answers in the words of the reference what only control planes or machines can do', () => {
  assert.deepEqual(answer(machine('EtcdSnapshot'), caller('os:etcd:backup'), worker), [
    'unimplemented',
    'etcd snapshot is only available on control plane nodes',
  ]);
  assert.deepEqual(
    answer(machine('Reboot'), caller('os:operator'), { ...worker, refusesMachineCalls: true }),
    ['failed-precondition', 'method is not supported in container mode'],
  );
  assert.equal(answer(machine('EtcdSnapshot'), caller('os:admin'), controlPlane), 'passes');
});

test('checkCall() gives a method without a rule to the administrator alone', () => {
  assert.equal(answer(undefined, caller('os:admin'), worker), 'passes');
  assert.deepEqual(answer(undefined, caller('os:operator', 'os:reader'), worker), [
    'permission-denied',
    'not authorized',
  ]);
});

test('rolesFromMetadata() knows the roles, trims them and gives nothing for other words', () => {
  assert.deepEqual(
    rolesFromMetadata([' os:admin ', '', 'os:root', 'OS:READER', 'os:reader', Buffer.from('os:operator')]),
    new Set(['os:admin', 'os:reader']),
  );
  assert.deepEqual(rolesFromMetadata([]), new Set());
});

test('rolesFromMetadata() takes several roles that were joined on their way', () => {
  assert.deepEqual(
    rolesFromMetadata(['os:etcd:backup, os:future, os:reader']),
    new Set(['os:etcd:backup', 'os:reader']),
  );
});
