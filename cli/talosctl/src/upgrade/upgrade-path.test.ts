import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upgradePath } from './upgrade-path.ts';

for (const [tag, path] of [
  ['v1.14.0', 'lifecycle'],
  ['v1.14.0-beta.1', 'lifecycle'],
  ['1.14', 'lifecycle'],
  ['v1.13.0', 'lifecycle'],
  ['v1.13.0-beta.0', 'lifecycle'],
  ['v1.13.0-alpha.3', 'lifecycle'],
  ['v1.13.0-alpha.10', 'lifecycle'],
  ['v1.13.0-alpha.2', 'legacy'],
  ['v1.13.0-alpha', 'legacy'],
  ['v1.12.9', 'legacy'],
  ['v2.0.0', 'legacy'],
  ['v0.14.0', 'legacy'],
  ['', 'legacy'],
  ['none', 'legacy'],
] as const)
  test(`a node with the version "${tag}" is upgraded by the path ${path}`, () => {
    assert.equal(upgradePath([tag]), path);
    assert.equal(upgradePath(['v1.14.0', tag]), path);
  });
