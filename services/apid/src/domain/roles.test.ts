import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoles, rolesFromCertificate, unknownRoles } from './roles.ts';

test('parseRoles() trims and sorts, drops blanks and repeats, and keeps unknown roles', () => {
  const roles = parseRoles([' os:reader', 'os:admin', '', '  ', 'os:reader', 'os:future']);
  assert.deepEqual([roles, unknownRoles(roles)], [['os:admin', 'os:future', 'os:reader'], ['os:future']]);
});

test('parseRoles() drops texts that a peer could read as another role', () => {
  assert.deepEqual(parseRoles(['x,os:admin', 'os:admin\nos:reader', 'rôle', 'os:reader']), ['os:reader']);
});

test('rolesFromCertificate() accepts talos-role from impersonators only, as a replacement', () => {
  assert.deepEqual(
    [
      rolesFromCertificate(['os:reader'], []),
      rolesFromCertificate(['os:reader'], ['os:admin']),
      rolesFromCertificate(['os:impersonator'], ['os:reader', 'os:future']),
      rolesFromCertificate(['os:admin', 'os:impersonator'], ['os:reader']),
      rolesFromCertificate(['os:impersonator'], []),
      rolesFromCertificate(['os:impersonator'], ['']),
      rolesFromCertificate([], ['os:admin']),
    ],
    [
      { roles: ['os:reader'], source: 'certificate' },
      { roles: ['os:reader'], source: 'certificate' },
      { roles: ['os:future', 'os:reader'], source: 'metadata' },
      { roles: ['os:reader'], source: 'metadata' },
      { roles: ['os:impersonator'], source: 'certificate' },
      { roles: [], source: 'metadata' },
      { roles: [], source: 'certificate' },
    ],
  );
});
