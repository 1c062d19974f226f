import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDowngradeVersion, downgradeProblem } from './downgrade-version.ts';
import { storageVersionOf } from './storage-version.ts';

test('checkDowngradeVersion() accepts MAJOR.MINOR from 3.5 on', () => {
  for (const version of ['3.5', '3.6', '3.10', '4.0']) checkDowngradeVersion(version);
  const rows = [
    ['', 'version is required for etcd downgrade'],
    ['3', 'version should be in MAJOR.MINOR format'],
    ['3.', 'version should be in MAJOR.MINOR format'],
    ['3.5.0', 'version should be in MAJOR.MINOR format'],
    ['v3.5', 'major version should be a number'],
    ['3.x', 'minor version should be a number'],
    ['3.4', 'etcd downgrade is only supported to 3.5 and later versions'],
    ['2.9', 'etcd downgrade is only supported to 3.5 and later versions'],
  ] as const;
  for (const [version, message] of rows)
    assert.throws(() => checkDowngradeVersion(version), { kind: 'invalid-argument', message });
});

test('downgradeProblem() reports releases before 3.6', () => {
  assert.equal(
    downgradeProblem('3.5.16'),
    'etcd 3.5.16 cannot prepare a downgrade: members of version 3.6 or later can',
  );
  assert.deepEqual(['3.6.0', '3.7.1', '4.0.0'].map(downgradeProblem), [undefined, undefined, undefined]);
});

test('storageVersionOf() is the version that etcd reports, or the first release of its minor version', () => {
  assert.equal(storageVersionOf({ storageVersion: '3.6.0', version: '3.7.1' }), '3.6.0');
  assert.equal(storageVersionOf({ storageVersion: '', version: '3.5.16' }), '3.5.0');
  assert.equal(storageVersionOf({ storageVersion: '', version: 'strange' }), 'unknown');
});
