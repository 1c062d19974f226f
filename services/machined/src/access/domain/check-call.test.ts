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
  holdsConfiguration: () => true,
  refusesMachineCalls: false,
  hasSystems: false,
  hasChosen: () => false,
};
const worker = { ...controlPlane, isControlPlane: false };
const caller = (...names: Role[]) => new Set(names);
const anyCaller = fc.subarray(Object.values(roles)).map((names) => new Set(names));
const anyNode = fc.record({
  isControlPlane: fc.boolean(),
  isMaintenance: fc.boolean(),
  holdsConfiguration: fc.boolean().map((holds) => () => holds),
  refusesMachineCalls: fc.boolean(),
  hasSystems: fc.boolean(),
  hasChosen: fc.boolean().map((is) => () => is),
});

function answer(rule: MethodRule | undefined, who: ReadonlySet<Role>, node: CallSurroundings): unknown {
  const fault = checkCall(rule, who, node);
  return fault === undefined ? 'passes' : [fault.kind, fault.message];
}

test("checkCall() permits a call exactly when the method table grants it to one of the caller's roles", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(methodTable)), anyCaller, anyNode, (rule, who, node) => {
      const hasRole = rule.roles.some((role) => who.has(role));
      const passes = hasRole && (!rule.maintenance || node.isMaintenance || who.has('os:admin'));
      assert.equal(checkCall(rule, who, node)?.kind === 'permission-denied', !passes);
    }),
  );
});

test('checkCall() checks roles before it reveals anything about the node', () => {
  assert.deepEqual(answer(machine('Bootstrap'), caller('os:reader'), worker), [
    'permission-denied',
    'not authorized',
  ]);
  assert.deepEqual(answer(machine('Reboot'), caller(), { ...worker, refusesMachineCalls: true }), [
    'permission-denied',
    'not authorized',
  ]);
});

test('checkCall() lets only administrators, as whom drivers of roll-outs call, take turns of a node', () => {
  const methods = Object.keys(methodTable).filter((path) =>
    path.startsWith('/suite.upgrade.v1.TurnService/'),
  );
  assert.equal(methods.length, 4);
  const others = Object.values(roles).filter((role) => role !== roles.admin);
  for (const path of methods) {
    const rule = (methodTable as Readonly<Record<string, MethodRule>>)[path];
    for (const node of [controlPlane, worker]) {
      assert.deepEqual(answer(rule, caller(...others), node), ['permission-denied', 'not authorized'], path);
      assert.deepEqual(answer(rule, caller(), node), ['permission-denied', 'not authorized'], path);
      assert.equal(answer(rule, caller('os:admin'), node), 'passes', path);
    }
  }
});

test('checkCall() uses the messages of Talos for methods that need a control plane or a machine', () => {
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

test('checkCall() lets a container that a keeper starts be upgraded, and restarted when there is something to start', () => {
  const kept = { ...worker, refusesMachineCalls: true, hasSystems: true };
  const chosen = { ...kept, hasChosen: () => true };
  const rule = (path: string) => (methodTable as Readonly<Record<string, MethodRule>>)[path];
  const upgrades = [
    ...['/machine.LifecycleService/Upgrade', '/machine.MachineService/Upgrade'],
    ...['/machine.MachineService/Rollback', '/suite.upgrade.v1.UpgradeService/Upgrade'],
  ];
  const who = caller('os:admin');
  const byHand = { ...kept, hasSystems: false, hasChosen: () => true };
  for (const path of upgrades) {
    assert.equal(answer(rule(path), who, kept), 'passes', path);
    const [kind, message] = answer(rule(path), who, byHand) as string[];
    assert.equal(kind, 'failed-precondition');
    assert.match(
      message ?? '',
      /^method is not supported in container mode: .*start a container of the new one/,
    );
  }
  assert.notEqual(answer(machine('Reboot'), who, kept), 'passes');
  assert.notEqual(answer(machine('Reboot'), who, byHand), 'passes');
  assert.equal(answer(machine('Reboot'), who, chosen), 'passes');
  const others = Object.entries(methodTable).filter(
    ([, { containerMode }]: [string, MethodRule]) => containerMode === 'refused',
  );
  assert.ok(others.length >= 4);
  for (const [path, other] of others) assert.notEqual(answer(other, who, chosen), 'passes', path);
});

test('checkCall() permits a method without a rule to administrators only', () => {
  assert.equal(answer(undefined, caller('os:admin'), worker), 'passes');
  assert.deepEqual(answer(undefined, caller('os:operator', 'os:reader'), worker), [
    'permission-denied',
    'not authorized',
  ]);
});

test('rolesFromMetadata() trims values and ignores unknown roles', () => {
  assert.deepEqual(
    rolesFromMetadata([' os:admin ', '', 'os:root', 'OS:READER', 'os:reader', Buffer.from('os:operator')]),
    new Set(['os:admin', 'os:reader']),
  );
  assert.deepEqual(rolesFromMetadata([]), new Set());
});

test('rolesFromMetadata() accepts several roles joined by commas', () => {
  assert.deepEqual(
    rolesFromMetadata(['os:etcd:backup, os:future, os:reader']),
    new Set(['os:etcd:backup', 'os:reader']),
  );
});

test('checkCall() lets nobody read files in maintenance while STATE holds a configuration', () => {
  for (const method of ['Read', 'Copy']) {
    const answers = [true, false].flatMap((isMaintenance) =>
      [true, false].map((holds) => {
        const node = { ...controlPlane, isMaintenance, holdsConfiguration: () => holds };
        return checkCall(machine(method), caller('os:admin'), node)?.kind;
      }),
    );
    assert.deepEqual(answers, ['failed-precondition', undefined, undefined, undefined]);
  }
});
