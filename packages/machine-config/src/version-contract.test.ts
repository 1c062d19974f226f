import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentContract, parseVersionContract } from './version-contract.ts';

test('parseVersionContract() accepts short and long forms and uses only major and minor', () => {
  assert.deepEqual(
    ['v1.13', '1.13', 'v1.13.2', '1.13.0-beta.1', 'v1.13.0-3-gabcdef+dirty'].map(parseVersionContract),
    Array(5).fill({ major: 1, minor: 13 }),
  );
  assert.deepEqual(parseVersionContract(''), currentContract);
  assert.deepEqual(['v1.16', 'v1.17.3'].map(parseVersionContract), [
    { major: 1, minor: 16 },
    { major: 1, minor: 17 },
  ]);
});

test('parseVersionContract() rejects malformed and unsupported versions', () => {
  for (const text of ['x', '1', 'v1.', '1.2.', ' 1.2', '1.2x']) {
    assert.throws(() => parseVersionContract(text), {
      kind: 'invalid-argument',
      message: `error parsing version ${JSON.stringify(text)}: use a form like v1.14`,
    });
  }
  for (const text of ['0.14', 'v1.18', '2.0']) {
    assert.throws(() => parseVersionContract(text), {
      kind: 'invalid-argument',
      message: `unsupported version ${JSON.stringify(text)}: supported are v1.0 to v1.17`,
    });
  }
});
