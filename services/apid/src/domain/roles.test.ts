import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isSideroLinkAddress,
  parseRoles,
  rolesFromCertificate,
  rolesInMaintenance,
  unknownRoles,
} from './roles.ts';

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

test('rolesInMaintenance() gives SideroLink peers os:admin and all others os:reader', () => {
  assert.deepEqual(
    ['10.5.0.9', 'fdae:41e4:649b:9303::1', '127.0.0.1'].map((address) => rolesInMaintenance(address).roles),
    [['os:reader'], ['os:admin'], ['os:reader']],
  );
});

test('isSideroLinkAddress() checks the first and the eighth byte of an IPv6 address', () => {
  const rows: [string, boolean][] = [
    ['fdae:41e4:649b:9303::1', true],
    ['FDAE:41E4:649B:9303:0:0:0:1%eth0', true],
    ['fd00::3:0:0:0:1', true],
    ['fdae:41e4:649b:9304::1', false],
    ['fcae:41e4:649b:9303::1', false],
    ['fd00::1', false],
    ['::ffff:10.5.0.9', false],
    ['fd:3', false],
    ['fd00::3::1', false],
    ['', false],
  ];
  assert.deepEqual(
    rows.map(([address]) => [address, isSideroLinkAddress(address)]),
    rows,
  );
});
