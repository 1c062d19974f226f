import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '@nodewright/contract';
import { checkResourceAccess, type KnownKind, type ResourceVerb } from './resource-access.ts';

const known: KnownKind = { isRegistered: true, isSensitive: false, hasNamespace: true };

const answer = (verb: ResourceVerb, kind: Partial<KnownKind>, ...caller: Role[]) =>
  checkResourceAccess({ verb, namespace: 'n', type: 'Ts.x' }, { ...known, ...kind }, new Set(caller))
    ?.message;

test('checkResourceAccess() permits no writes, and reads of all kinds that are not sensitive', () => {
  for (const verb of ['create', 'update', 'destroy'] as const) {
    assert.equal(answer(verb, {}, 'os:admin'), 'write access is not allowed');
  }
  for (const verb of ['get', 'list', 'watch'] as const)
    assert.equal(answer(verb, {}, 'os:reader'), undefined);
});

test('checkResourceAccess() checks the type, then the role, then the namespace', () => {
  const nothing = { isRegistered: false, isSensitive: true, hasNamespace: false };
  assert.equal(answer('destroy', nothing), 'write access is not allowed');
  assert.equal(answer('get', nothing), 'resource type "Ts.x" is not supported');
  assert.equal(
    answer('get', { ...nothing, isRegistered: true }, 'os:reader', 'os:operator'),
    'not authorized',
  );
  assert.equal(
    answer('get', { ...nothing, isRegistered: true }, 'os:admin'),
    'namespace "n" is not supported',
  );
  assert.equal(answer('list', { isSensitive: true }, 'os:admin'), undefined);
});
