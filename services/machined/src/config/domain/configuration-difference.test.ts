import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { configurationDifference } from './configuration-difference.ts';

const withToken = (token: string, hostname = 'a') =>
  decodeConfiguration(
    `# a comment\nmachine:\n  type: worker\n  token: ${token}\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${hostname}\n`,
  );

test('configurationDifference() shows the changed lines, and is empty without changes', () => {
  const difference = configurationDifference(withToken('one'), withToken('two'), { showSecrets: true });
  assert.match(difference, /^-\s+token: one$/m);
  assert.match(difference, /^\+\s+token: two$/m);
  assert.equal(configurationDifference(withToken('one'), withToken('one'), { showSecrets: true }), '');
});

test('configurationDifference() shows all lines when there was no configuration before', () => {
  assert.match(
    configurationDifference(undefined, withToken('one'), { showSecrets: true }),
    /^\+\s+token: one$/m,
  );
});

test('configurationDifference() redacts secrets when the caller may not see them', () => {
  const difference = configurationDifference(withToken('one'), withToken('two', 'b'), { showSecrets: false });
  assert.match(difference, /^\+hostname: b$/m);
  assert.doesNotMatch(difference, /one|two/);
});
