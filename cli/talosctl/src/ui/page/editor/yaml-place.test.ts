import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { yamlPlace } from './yaml-place.ts';

/** The place of `|` in the text. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const place = yamlPlace(marked.replace('|', ''), offset);
  return place && { ...place, siblings: [...place.siblings].sort(), from: offset - place.from };
}

const base = { kind: '', path: [], key: undefined, from: 0, siblings: [] };

test('yamlPlace() finds the map of a key by indentation', () => {
  assert.deepEqual(at('|'), base);
  assert.deepEqual(at('version: v1alpha1\nma|\ncluster:\n  token: x\n'), {
    ...{ ...base, from: 2, siblings: ['cluster', 'version'] },
  });
  assert.deepEqual(at('machine:\n  type: worker\n  network:\n    host|\n  token: x\n'), {
    ...{ ...base, path: ['machine', 'network'], from: 4 },
  });
  assert.deepEqual(at('machine:\n  network:\n    hostname: a\n  |'), {
    ...{ ...base, path: ['machine'], siblings: ['network'] },
  });
});

test('yamlPlace() finds the list of an element, also where the dash is not indented', () => {
  const place = { ...base, path: ['machine', 'network', 'interfaces'], from: 2, siblings: ['interface'] };
  const head = 'machine:\n  network:\n    interfaces:\n';
  assert.deepEqual(at(`${head}      - interface: eth0\n        mt|`), place);
  assert.deepEqual(at(`${head}    - interface: eth0\n      mt|`), place);
  assert.deepEqual(at(`${head}      - interface: eth0\n      - mt|`), { ...place, siblings: [] });
  const vlans = { ...place, path: [...place.path, 'vlans'], siblings: ['vlanId'] };
  assert.deepEqual(
    at(`${head}      - interface: eth0\n        vlans:\n          - vlanId: 1\n            mt|`),
    vlans,
  );
});

test('yamlPlace() finds the key of a value and the kind of the document', () => {
  assert.deepEqual(at('machine:\n  type: con|'), { ...base, path: ['machine'], key: 'type', from: 3 });
  const two = 'version: v1alpha1\n---\napiVersion: v1alpha1\nkind: WireguardConfig\npeers:\n  - publicKey: |';
  assert.deepEqual(at(two), { ...base, kind: 'WireguardConfig', path: ['peers'], key: 'publicKey' });
  assert.deepEqual(at('kind: Wire|'), { ...base, kind: 'Wire', key: 'kind', from: 4 });
});

test('yamlPlace() has nothing to say inside of texts', () => {
  assert.equal(at('machine:\n  token: "a b|'), undefined);
  assert.equal(at('# a comment|'), undefined);
});

test('yamlPlace() survives every text', () => {
  const part = fc.constantFrom('a:', ' ', '- ', '\n', '---', '#', 'kind: X', '"', 'é', ':');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.nat(200), (parts, offset) => {
      const text = parts.join('');
      const place = yamlPlace(text, Math.min(offset, text.length));
      assert.ok(place === undefined || (place.from >= 0 && place.from <= text.length));
    }),
  );
});
