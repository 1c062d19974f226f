import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownedReference, readReference, referenceOfOwned, referenceText } from './owned-reference.ts';
import type { Scope } from './ownership.ts';

const scope: Scope = { cluster: 'My_Cluster--', node: 'node01' };
const component = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,8})?$/);
const registry = fc.oneof(
  fc.constantFrom(
    'docker.io',
    'registry.k8s.io',
    'localhost',
    '127.0.0.1:5000',
    '[::1]:5000',
    'Registry.Example',
  ),
);
const which = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_][\w.-]{0,20}$/).map((tag) => `:${tag}`),
  fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `@sha256:${hex}`),
);

test('referenceOfOwned() reads the result of ownedReference(), only for the same node, namespace and purpose', () => {
  fc.assert(
    fc.property(registry, component, component, which, (host, group, name, end) => {
      const reference = readReference(`${host}/${group}/${name}${end}`);
      const { repo, tag } = ownedReference(scope, 'system', 'held', reference);
      const owned = `${repo}:${tag}`;
      // The engine accepts it: only lower-case letters, digits and separators before the tag.
      assert.match(
        owned,
        /^nodewright\.invalid\/[a-z0-9]+(?:[._/-][a-z0-9]+|__?[a-z0-9]+|-+[a-z0-9]+)*:\w[\w.-]{0,127}$/,
      );
      const back = referenceOfOwned(scope, 'system', 'held', owned);
      assert.equal(back && referenceText(back), referenceText(reference));
      assert.equal(referenceOfOwned(scope, 'k8s.io', 'held', owned), undefined);
      assert.equal(referenceOfOwned(scope, 'system', 'digest', owned), undefined);
      assert.equal(referenceOfOwned({ ...scope, node: 'node0' }, 'system', 'held', owned), undefined);
      assert.equal(referenceOfOwned({ ...scope, cluster: 'other' }, 'system', 'held', owned), undefined);
    }),
  );
});

test('referenceOfOwned() ignores names that are no tags of a node', () => {
  for (const name of ['docker.io/library/busybox:latest', '<none>:<none>', 'nodewright.invalid/x:y', ''])
    assert.equal(referenceOfOwned(scope, 'system', 'held', name), undefined);
});
