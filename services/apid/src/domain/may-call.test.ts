import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodTable, roles } from '@nodewright/contract';
import { mayCall, rolesKey } from './may-call.ts';

test('mayCall() agrees with the method table for every method and every single role', () => {
  for (const [method, rule] of Object.entries(methodTable)) {
    const wrong = Object.values(roles).filter(
      (role) => mayCall(method, [role], true) !== rule.roles.includes(role),
    );
    assert.deepEqual(wrong, [], method);
  }
});

test('mayCall() keeps methods of maintenance for administrators once a node has its configuration', () => {
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

test('mayCall() lets nobody in without a role that it knows, whatever the method', () => {
  for (const method of [...Object.keys(methodTable), '/no.such.Service/Method', '/toString', 'constructor']) {
    for (const caller of [[], ['os:future'], ['os:impersonator'], ['os:impersonator', 'os:future']]) {
      assert.equal(mayCall(method, caller, true), false, `${method} ${caller}`);
    }
  }
});

test('mayCall() leaves a method that it does not know to the node that answers', () => {
  assert.equal(mayCall('/no.such.Service/Method', ['os:reader'], false), true);
});

test('rolesKey() is the same for certificates that differ in roles nobody knows', () => {
  assert.deepEqual(
    [rolesKey(['os:future', 'os:reader']), rolesKey(['os:impersonator', 'os:reader']), rolesKey([])],
    ['os:reader', 'os:reader', ''],
  );
});
