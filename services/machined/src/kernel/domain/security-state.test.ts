import assert from 'node:assert/strict';
import { test } from 'node:test';
import { securityState } from './security-state.ts';

const state = (files: Readonly<Record<string, string>>) =>
  securityState((path) => (files[path] === undefined ? undefined : Buffer.from(files[path], 'latin1')));

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
