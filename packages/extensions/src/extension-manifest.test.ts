import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extensionMetadata, satisfiesConstraint } from './index.ts';
import { manifestText } from './testing/test-extension.ts';

test('a constraint compares the three numbers of a version, and refuses what is no comparison', () => {
  for (const [constraint, isSatisfied] of [
    ['', true],
    ['>= v1.10.0', true],
    ['>= 1.10.0 < 1.14.0', false],
    ['>=1.10.0 <1.14.0 || 1.14.x', true],
    ['1.x', true],
    ['2.X', false],
    ['>= 1.14.0-beta.1', true],
    ['!= 1.14.0', false],
    ['1.14.0', true],
    ['<= 1.13.9', false],
  ] as const)
    assert.equal(satisfiesConstraint('v1.14.0-alpha.2', constraint), isSatisfied, constraint);
  for (const constraint of ['newest', '>= 1.14', '>=1.0.0 || newest', '=> 1.0.0'])
    assert.throws(() => satisfiesConstraint('v1.14.0', constraint), /is no comparison of versions/);
});

test('a manifest has a version, a name and a constraint that this system satisfies', () => {
  const read = (text: string) => extensionMetadata(text, 'v1.14.0');
  assert.deepEqual(read(manifestText('demo')), {
    ...{ name: 'demo', version: '1.2.3', author: 'Example Org', extraInfo: '' },
    description: 'An extension of the tests.',
    compatibility: { talos: { version: '>= v1.10.0' } },
  });
  for (const [text, reason] of [
    [manifestText('demo').replace('v1alpha1', 'v1'), /^Fault: version is not v1alpha1$/],
    [manifestText('""'), /^Fault: metadata\.name is missing$/],
    [manifestText('demo', '>= 2.0.0'), /^Fault: demo is for Talos >= 2\.0\.0, and this is v1\.14\.0$/],
    ['a: &a 1\nb: *a', /alias/i],
    ['', /^Fault: version is not v1alpha1$/],
  ] as const)
    assert.throws(() => read(text), reason);
});

test('a version without quotes stays what the manifest has', () => {
  for (const version of ['1.10', '0022', '1e3', '0x1F', '12345678901234567890'])
    assert.equal(
      extensionMetadata(manifestText('demo').replace('1.2.3', version), 'v1.14.0').version,
      version,
    );
  assert.throws(
    () => extensionMetadata(manifestText('demo').replace('1.2.3', 'true'), 'v1.14.0'),
    /version is no text/,
  );
});
