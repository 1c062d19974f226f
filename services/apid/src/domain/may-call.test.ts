import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MethodRule, methodTable, roles } from '@nodewright/contract';
import { mayCall, rolesKey } from './may-call.ts';

test('mayCall() agrees with the method table for every method and every single role', () => {
  for (const [method, rule] of Object.entries(methodTable)) {
    const wrong = Object.values(roles).filter(
      (role) => mayCall(method, [role], true) !== rule.roles.includes(role),
    );
    assert.deepEqual(wrong, [], method);
  }
});

test('mayCall() requires os:admin for maintenance methods once a node has its configuration', () => {
  const readable = Object.entries(methodTable).filter(
    ([, rule]) => rule.maintenance === true && rule.roles.includes(roles.reader),
  );
  assert.ok(readable.length > 0);
  for (const [method] of readable) {
    assert.deepEqual(
      [[roles.reader], [roles.admin]].map((caller) => mayCall(method, caller, false)),
      [false, true],
      method,
    );
  }
});

test('mayCall() refuses callers without a known role for every method', () => {
  for (const method of [...Object.keys(methodTable), '/no.such.Service/Method', '/toString', 'constructor']) {
    for (const caller of [[], ['os:future'], ['os:impersonator'], ['os:impersonator', 'os:future']]) {
      assert.equal(mayCall(method, caller, true), false, `${method} ${caller}`);
    }
  }
});

test('mayCall() allows methods that it does not know, for the target node to decide', () => {
  assert.equal(mayCall('/no.such.Service/Method', ['os:reader'], false), true);
});

test('rolesKey() is the same for certificates that differ only in unknown roles', () => {
  assert.deepEqual(
    [rolesKey(['os:future', 'os:reader']), rolesKey(['os:impersonator', 'os:reader']), rolesKey([])],
    ['os:reader', 'os:reader', ''],
  );
});

test('in maintenance a stranger may change the configuration and what is on disks, and read no content of files', () => {
  const allowed = Object.entries(methodTable).filter(([path]) => mayCall(path, ['os:reader'], true));
  const isThere = ({ notImplemented }: MethodRule) => notImplemented === undefined;
  assert.deepEqual(
    allowed.filter(([, rule]) => rule.mutates && isThere(rule)).map(([path]) => path),
    ['/machine.MachineService/ApplyConfiguration', '/storage.StorageService/BlockDeviceWipe'],
  );
  assert.deepEqual(
    allowed.filter(([, rule]) => rule.readsFiles).map(([path]) => path),
    [],
  );
  for (const method of ['List', 'DiskUsage', 'Logs', 'Dmesg', 'Events', 'Processes', 'Netstat', 'Mounts'])
    assert.ok(mayCall(`/machine.MachineService/${method}`, ['os:reader'], true), method);
  for (const method of [
    'Reset',
    'Reboot',
    'Shutdown',
    'Bootstrap',
    'PacketCapture',
    'MetaWrite',
    'MetaDelete',
    'Restart',
  ])
    assert.ok(!mayCall(`/machine.MachineService/${method}`, ['os:reader'], true), method);
});
