import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireNodeVersion } from './require-node-version.ts';

test('requireNodeVersion() accepts Node.js 22 and later', () => {
  for (const version of ['22.0.0', '22.11.0', '24.1.0', '26.10.0', '100.0.0-nightly'])
    requireNodeVersion(version);
});

test('requireNodeVersion() names the required and the actual version', () => {
  for (const version of ['21.7.3', '20.19.0', '9.0.0', ''])
    assert.throws(() => requireNodeVersion(version), {
      kind: 'failed-precondition',
      message: `@nodewright/client needs Node.js 22 or later: this is ${version}`,
    });
});
