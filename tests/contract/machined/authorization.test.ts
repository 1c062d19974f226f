// Who may call what on the socket, for every method of the table.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { methodTable, type Role, roles } from '@nodewright/contract';
import { openUnixChannel } from '@nodewright/rpc';
import fc from 'fast-check';
import { startNode } from './harness/node-under-test.ts';
import { rawCall, shutdownPath } from './harness/raw-call.ts';

const [controlPlane, worker] = await Promise.all([startNode(), startNode({ type: 'worker' })]);
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
scope.use(controlPlane);
scope.use(worker);
const channel = scope.use(openUnixChannel(controlPlane.socket));
const workerChannel = scope.use(openUnixChannel(worker.socket));

const allRoles = Object.values(roles);
const paths = Object.keys(methodTable);
const [ok, permissionDenied, failedPrecondition, unimplemented] = [0, 7, 9, 12];
const refused = { code: permissionDenied, details: 'not authorized' };
const call = (path: string, ...caller: string[]) => rawCall(channel, path, { 'talos-role': caller });

function isAllowed(path: string, caller: readonly Role[]): boolean {
  const rule = methodTable[path];
  assert.ok(rule);
  return (
    rule.roles.some((role) => caller.includes(role)) && (!rule.maintenance || caller.includes(roles.admin))
  );
}

test('every method answers each role as the table says, and one that is not implemented says why', async () => {
  const wrong: string[] = [];
  for (const path of paths) {
    for (const role of allRoles) {
      const expected = isAllowed(path, [role]);
      if (expected && path === shutdownPath) continue;
      const outcome = await call(path, role);
      const isRefused = outcome.code === permissionDenied && outcome.details === refused.details;
      if (isRefused === expected) wrong.push(`${path} as ${role}: ${outcome.code} ${outcome.details}`);
      const refusal = `method ${path} is not implemented: ${methodTable[path]?.notImplemented}`;
      if (outcome.code === unimplemented && outcome.details !== refusal) {
        wrong.push(`${path}: ${outcome.details}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('any set of roles passes when one of them does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.subarray(allRoles), async (path, caller) => {
      fc.pre(path !== shutdownPath || !isAllowed(path, caller));
      const { code, details } = await call(path, ...caller);
      // After the table, the calls about resources have further rules, whose errors have other texts.
      const isRefused = code === permissionDenied && details === refused.details;
      assert.equal(isRefused, !isAllowed(path, caller), `${path} as ${caller.join()}`);
    }),
    { numRuns: 60 },
  );
});

test('a reader is refused ContainerRun before the error that it is not implemented', async () => {
  assert.deepEqual(await call('/machine.DebugService/ContainerRun', 'os:reader'), refused);
  assert.equal((await call('/machine.DebugService/ContainerRun', 'os:admin')).code, unimplemented);
});

test('a reader is refused Rollback before the error that this node is no machine', async () => {
  assert.deepEqual(await call('/machine.MachineService/Rollback', 'os:reader'), refused);
  assert.equal((await call('/machine.MachineService/Rollback', 'os:admin')).code, failedPrecondition);
});

test('a call without roles, or with unknown roles, is refused', async () => {
  const path = '/machine.MachineService/Version';
  assert.deepEqual(await rawCall(channel, path, {}), refused);
  for (const role of ['', 'admin', 'OS:ADMIN', 'os:admin;os:reader', 'os:impersonator', '*']) {
    assert.deepEqual(await call(path, role), refused, role);
  }
  assert.equal((await call(path, 'os:none', 'os:reader')).code, ok);
});

test('an unknown method is unimplemented for every caller', async () => {
  assert.equal((await call('/machine.MachineService/NoSuchMethod', 'os:admin')).code, unimplemented);
  assert.equal((await call('/machine.NoSuchService/Method')).code, unimplemented);
});

test('a worker says which calls only control planes have, after it has checked the role', async () => {
  for (const [path, rule] of Object.entries(methodTable)) {
    if (rule.controlPlaneOnly === undefined) continue;
    const asked = await rawCall(workerChannel, path, { 'talos-role': 'os:admin' });
    const details = `${rule.controlPlaneOnly} is only available on control plane nodes`;
    assert.deepEqual(asked, { code: unimplemented, details });
  }
  const path = '/machine.MachineService/Bootstrap';
  assert.deepEqual(await rawCall(workerChannel, path, { 'talos-role': 'os:reader' }), refused);
});
