import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareVersions, isVersion, minorOf } from './version-order.ts';

test('compareVersions() has the order of Semantic Versioning', () => {
  const ordered = [
    ...['v0.9.10', 'v1.0.0-alpha', 'v1.0.0-alpha.1', 'v1.0.0-alpha.beta', 'v1.0.0-beta', 'v1.0.0-beta.2'],
    ...[
      'v1.0.0-beta.11',
      'v1.0.0-beta.20261130120000001',
      'v1.0.0-beta.20261130120000002',
      'v1.0.0-rc.1',
      'v1.0.0',
      'v1.9.0',
      'v1.10.0',
      'v1.10.1',
      'v2.0.0',
    ],
  ];
  for (const [at, left] of ordered.entries())
    for (const [other, right] of ordered.entries())
      assert.equal(Math.sign(compareVersions(left, right)), Math.sign(at - other), `${left} ${right}`);
  assert.equal(minorOf('3.7.12'), '3.7');
});

test('compareVersions() is antisymmetric, whatever the pre-releases', () => {
  const part = fc.constantFrom('0', '1', '10', 'a', 'B', 'rc', 'rc1');
  const version = fc
    .tuple(fc.integer({ min: 0, max: 2 }), fc.array(part, { maxLength: 3 }))
    .map(([patch, parts]) => `v1.0.${patch}${parts.length === 0 ? '' : `-${parts.join('.')}`}`);
  fc.assert(
    fc.property(version, version, (left, right) => {
      assert.equal(Math.sign(compareVersions(left, right)), -Math.sign(compareVersions(right, left)) + 0);
    }),
  );
});

test('a text that is no version is refused', () => {
  for (const text of [
    '',
    'v1',
    '1.2',
    'v1.2.3.4',
    'v1.2.x',
    'v1.2.3-',
    'v1.2.3 ',
    'latest',
    `v1.2.3-${'a'.repeat(200)}`,
  ]) {
    assert.equal(isVersion(text), false, text);
    assert.throws(() => compareVersions(text, 'v1.0.0'), { kind: 'invalid-argument' });
  }
});
