import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecureBootOn, securityState } from './security-state.ts';

const state = (files: Readonly<Record<string, string>>) =>
  securityState((path) => (files[path] === undefined ? 'absent' : Buffer.from(files[path], 'latin1')));

const open = {
  secureBoot: false,
  ukiSigningKeyFingerprint: '',
  pcrSigningKeyFingerprint: '',
  selinuxState: 'disabled',
  fipsState: 'disabled',
  bootedWithUKI: false,
  moduleSignatureEnforced: false,
};

test('securityState() of a machine without any protection', () => {
  assert.deepEqual(state({}), open);
  assert.deepEqual(state({ '/proc/cmdline': 'quiet', '/sys/fs/selinux/enforce': '1' }), open);
});

test('securityState() of a machine with every protection', () => {
  const variables = '/sys/firmware/efi/efivars';
  const files = {
    '/proc/cmdline': 'selinux=1 talos.fips140=strict module.sig_enforce=1\n',
    '/sys/fs/selinux/enforce': '0',
    [`${variables}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c`]: '\x06\0\0\0\x01',
    [`${variables}/StubInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f`]: '',
  };
  assert.deepEqual(state(files), {
    ...open,
    secureBoot: true,
    selinuxState: 'enabled, permissive',
    fipsState: 'enabled, strict',
    bootedWithUKI: true,
    moduleSignatureEnforced: true,
  });
});

test('isSecureBootOn() is off only when the variable says so, when it is absent from efivarfs, and under a BIOS', () => {
  const firmware = '/sys/firmware/efi';
  const variable = `${firmware}/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c`;
  const mounted = {
    '/proc/self/mounts': `sysfs /sys sysfs rw 0 0\nefivarfs ${firmware}/efivars efivarfs ro 0 0\n`,
  };
  const other = { '/proc/self/mounts': `sysfs /sys sysfs rw 0 0\ntmpfs ${firmware}/efivars tmpfs ro 0 0\n` };
  /** A folder cannot be read as a file. */
  const unreadable = 'unreadable';
  const firmwareIsThere = { [firmware]: unreadable };
  const rows: [string, Readonly<Record<string, string>>, boolean][] = [
    ['a BIOS', {}, false],
    ['off', { ...firmwareIsThere, ...mounted, [variable]: '\x06\0\0\0\0' }, false],
    ['on', { ...firmwareIsThere, ...mounted, [variable]: '\x06\0\0\0\x01' }, true],
    ['absent from efivarfs', { ...firmwareIsThere, ...mounted }, false],
    ['no efivarfs', firmwareIsThere, true],
    ['another file system', { ...firmwareIsThere, ...other }, true],
    ['unknown mounts', { ...firmwareIsThere, '/proc/self/mounts': unreadable }, true],
    ['an error', { ...firmwareIsThere, ...mounted, [variable]: unreadable }, true],
    ['no value', { ...firmwareIsThere, ...mounted, [variable]: '' }, true],
    ['too short', { ...firmwareIsThere, ...mounted, [variable]: '\x06\0\0\0' }, true],
    ['too long', { ...firmwareIsThere, ...mounted, [variable]: '\x06\0\0\0\0\0' }, true],
    ['another value', { ...firmwareIsThere, ...mounted, [variable]: '\x06\0\0\0\x02' }, true],
  ];
  const read = (files: Readonly<Record<string, string>>) => (path: string) => {
    const content = files[path];
    if (content === undefined) return 'absent';
    return content === unreadable ? unreadable : Buffer.from(content, 'latin1');
  };
  assert.deepEqual(
    rows.map(([name, files]) => [name, isSecureBootOn(read(files))]),
    rows.map(([name, , expected]) => [name, expected]),
  );
});
