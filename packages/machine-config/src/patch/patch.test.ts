import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Configuration } from '../config-document.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateDocuments } from '../generate/generate-config.ts';
import { sampleSecrets } from '../secrets/sample-secrets.ts';
import { applyPatches } from './apply-patches.ts';
import { mergeUrl } from './merge-url.ts';
import { parsePatch } from './parse-patch.ts';

const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;

/** The value of the only document of `base` after the patches. */
function patched(base: string, ...patches: string[]): unknown {
  const [first] = applyPatches(loadConfiguration(base), patches.map(parsePatch));
  return first?.value;
}

function refusal(base: string, patch: string): string {
  try {
    applyPatches(loadConfiguration(base), [parsePatch(patch)]);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

const generated = generateDocuments({
  secrets: await sampleSecrets(),
  clusterName: 'alpha',
  endpoint: 'https://10.5.0.1:6443/path?x=1',
  type: 'controlplane',
});

test('a patch merges objects, appends lists and overrides scalars unless the new value is a zero value', () => {
  assert.deepEqual(
    patched(
      'machine:\n  token: old\n  certSANs: [a]\n  install: { disk: /dev/sda, wipe: true }\n  sysctls: { x: "1", y: "2" }\n',
      'machine:\n  token: ""\n  certSANs: [b]\n  install: { image: i, wipe: false }\n  sysctls: { x: "", y: "3", z: "" }\n',
    ),
    {
      machine: {
        token: 'old',
        certSANs: ['a', 'b'],
        install: { disk: '/dev/sda', wipe: false, image: 'i' },
        sysctls: { x: '1', y: '3', z: '' },
      },
    },
  );
});

test('a patch appends a document that does not exist', () => {
  const [, , ...appended] = applyPatches(
    loadConfiguration(`machine: {}\n---\n${document('HostnameConfig', 'auto: stable\n')}`),
    [
      parsePatch(
        `${document('VLANConfig', 'name: v1\nvlanID: 1\n')}---\n${document('VLANConfig', 'name: v2\nvlanID: 2\n')}`,
      ),
    ],
  );
  assert.deepEqual(appended, [
    { kind: 'VLANConfig', value: { name: 'v1', vlanID: 1 } },
    { kind: 'VLANConfig', value: { name: 'v2', vlanID: 2 } },
  ]);
});

test('a legacy document added by a patch becomes the first document', () => {
  const base = loadConfiguration(document('HostnameConfig', 'auto: stable\n'));
  assert.deepEqual(
    applyPatches(base, [parsePatch('machine: { token: t }\n')]).map(({ kind }) => kind),
    ['v1alpha1', 'HostnameConfig'],
  );
});

test('elements of keyed lists are merged or replaced, others are appended', () => {
  assert.deepEqual(
    patched(
      'machine:\n  network:\n    interfaces:\n      - { interface: eth0, mtu: 1, vlans: [{ vlanId: 5, mtu: 1 }] }\n      - { deviceSelector: { driver: x }, mtu: 1 }\n      - { deviceSelector: { driver: y, physical: true }, mtu: 1 }\n',
      'machine:\n  network:\n    interfaces:\n      - { interface: eth0, dhcp: true, vlans: [{ vlanId: 5, dhcp: true }, { vlanId: 6 }] }\n      - { deviceSelector: { driver: x }, mtu: 2 }\n      - { deviceSelector: { driver: y, physical: true }, mtu: 2 }\n',
    ),
    {
      machine: {
        network: {
          interfaces: [
            {
              interface: 'eth0',
              mtu: 1,
              dhcp: true,
              vlans: [{ vlanId: 5, mtu: 1, dhcp: true }, { vlanId: 6 }],
            },
            { deviceSelector: { driver: 'x' }, mtu: 2 },
            { deviceSelector: { driver: 'y', physical: true }, mtu: 1 },
            { deviceSelector: { driver: 'y', physical: true }, mtu: 2 },
          ],
        },
      },
    },
  );
  assert.deepEqual(
    patched(
      document('ImageVerificationConfig', 'rules: [{ image: a, skip: true }, { image: b, deny: true }]\n'),
      document('ImageVerificationConfig', 'rules: [{ image: b, skip: true }]\n'),
    ),
    {
      rules: [
        { image: 'a', skip: true },
        { image: 'b', skip: true },
      ],
    },
  );
});

test('some values are replaced as a whole', () => {
  assert.deepEqual(
    patched(
      document('KubeNetworkConfig', 'podSubnets: [10.0.0.0/16]\nserviceSubnets: [10.1.0.0/16]\n'),
      document('KubeNetworkConfig', 'podSubnets: [10.2.0.0/16, fc00::/56]\n'),
    ),
    { podSubnets: ['10.2.0.0/16', 'fc00::/56'], serviceSubnets: ['10.1.0.0/16'] },
  );
  assert.deepEqual(
    patched(
      'cluster: { apiServer: { extraArgs: { a: [x], b: [y] }, auditPolicy: { kind: Policy, rules: [1] } } }',
      'cluster: { apiServer: { extraArgs: { a: [z] }, auditPolicy: { rules: [] } } }',
    ),
    { cluster: { apiServer: { extraArgs: { a: ['z'], b: ['y'] }, auditPolicy: { rules: [] } } } },
  );
});

test('volume sizes and expressions are cleared by a patch that does not repeat them', () => {
  const base = document(
    'VolumeConfig',
    'name: EPHEMERAL\nprovisioning: { diskSelector: { match: system_disk }, minSize: 1GB, maxSize: 2GB, grow: true }\n',
  );
  assert.deepEqual(patched(base, document('VolumeConfig', 'name: EPHEMERAL\nmount: { secure: false }\n')), {
    name: 'EPHEMERAL',
    provisioning: { diskSelector: {}, maxSize: '2GB', grow: true },
    mount: { secure: false },
  });
});

test('free-form parts are merged recursively, and a value of another type is rejected', () => {
  const base = document('KubeletConfig', 'image: i\nconfig: { a: { b: 1, keep: x }, list: [1], on: true }\n');
  assert.deepEqual(
    patched(
      base,
      document('KubeletConfig', 'config: { a: { b: 2, keep: "" }, list: [2], on: false, new: 0 }\n'),
    ),
    {
      image: 'i',
      config: { a: { b: 2, keep: 'x' }, list: [1, 2], on: false, new: 0 },
    },
  );
  assert.equal(
    refusal(base, document('KubeletConfig', 'config: { a: [1] }\n')),
    'config.a: cannot merge a list into a mapping',
  );
});

test('URLs are merged part by part', () => {
  const rows: [string, string, string][] = [
    ['https://a:6443/path?x=1', 'https://b', 'https://b/path?x=1'],
    ['https://user:pw@a/', 'http://b:1/c', 'http://user:pw@b:1/c'],
    ['https://a', '', 'https://a'],
    ['', 'https://a/b', 'https://a/b'],
    ['https://a/b', '?q=1', 'https://a/b?q=1'],
  ];
  assert.deepEqual(
    rows.map(([base, patch]) => mergeUrl(base, patch)),
    rows.map(([, , merged]) => merged),
  );
});

test('$patch: delete removes documents, keys and elements', () => {
  const base = `machine:\n  certSANs: [a]\n  sysctls: { a: "1", b: "2" }\n  network: { interfaces: [{ interface: eth0 }, { interface: eth1, mtu: 1 }] }\n---\n${document('HostnameConfig', 'auto: stable\n')}`;
  const after = (patch: string) => applyPatches(loadConfiguration(base), [parsePatch(patch)]);
  const deleted = { $patch: 'delete' };
  assert.deepEqual(after(document('HostnameConfig', '$patch: delete\n')).length, 1);
  assert.deepEqual(after(document('VLANConfig', 'name: none\n$patch: delete\n')).length, 2);
  assert.deepEqual(
    after(
      JSON.stringify({
        machine: {
          sysctls: { a: deleted },
          network: { interfaces: [{ interface: 'eth1', ...deleted }] },
          token: 't',
        },
      }),
    )[0]?.value,
    {
      machine: {
        certSANs: ['a'],
        sysctls: { b: '2' },
        network: { interfaces: [{ interface: 'eth0' }] },
        token: 't',
      },
    },
  );
});

test('$patch: delete is applied before the merge of the same patch', () => {
  const base = 'machine:\n  certSANs: [a]\n';
  const patch = 'machine:\n  certSANs: { $patch: delete }\n---\nmachine:\n  certSANs: [b]\n';
  assert.deepEqual(patched(base, patch), { machine: { certSANs: ['b'] } });
});

test('$patch: delete of a missing path, or at an unsupported place, is an error', () => {
  const base = 'machine:\n  network: { interfaces: [{ interface: eth0 }] }\n';
  const rows: [string, string][] = [
    ['machine: { sysctl: { $patch: delete } }', "failed to delete path 'machine.sysctl': lookup failed"],
    [
      'machine: { network: { interfaces: [{ interface: eth9, $patch: delete }] } }',
      "failed to delete path 'machine.network.interfaces[interface=eth9]': lookup failed",
    ],
    [
      'machine: { network: { interfaces: [{ interface: eth0, vlans: { $patch: delete } }] } }',
      'patch, line 1, column 62: deleting inside an element of the list machine.network.interfaces is not supported',
    ],
    ['machine: {}\n$patch: delete', 'patch, line 1, column 1: a document to delete needs apiVersion'],
    ['apiVersion: v1alpha1\n$patch: delete', 'patch, line 1, column 1: a document to delete needs kind'],
  ];
  for (const [patch, expected] of rows) assert.equal(refusal(base, patch), expected);
});

test('a JSON patch is applied to a configuration of one document and rejected for several', () => {
  const patch =
    '[{"op":"replace","path":"/machine/token","value":"new"},{"op":"add","path":"/machine/certSANs/-","value":"b"}]';
  const yaml =
    '- op: replace\n  path: /machine/token\n  value: new\n- op: add\n  path: /machine/certSANs/-\n  value: b\n';
  const base = 'machine: { type: worker, token: old, certSANs: [a] }\ncluster: {}\n';
  for (const text of [patch, yaml]) {
    const { machine } = patched(base, text) as { machine: unknown };
    assert.deepEqual(machine, { type: 'worker', token: 'new', certSANs: ['a', 'b'] });
  }
  assert.equal(
    refusal(`${base}---\n${document('HostnameConfig', 'auto: off\n')}`, patch),
    'JSON6902 patches are not supported for multi-document machine configuration',
  );
  assert.match(
    refusal(base, '[{"op":"add","path":"/machine/nope","value":1}]'),
    /unknown keys found during decoding:\nmachine:\n {4}nope: \.\.\.\n {2}line 5, column 3: "nope" is not a key of machine$/,
  );
});

test('parsePatch() reports the error of the form that the text resembles', () => {
  assert.match(refusal('machine: {}', '[{"op":'), /^JSON patch: the text is not valid JSON$/);
  assert.match(
    refusal('machine: {}', '[{"op":"jump","path":"/a"}]'),
    /^JSON patch: operation 1: unknown operation "jump"$/,
  );
  assert.match(refusal('machine: {}', 'machine: { nope: 1 }'), /unknown keys/);
  assert.match(refusal('machine: {}', ''), /^config not found$/);
});

// Laws.

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), minLength: 1, maxLength: 4 });
const someKeys = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true });

/** Generates patches in which all lists are empty. */
const patchWithoutLists = fc.record(
  {
    machine: fc.record(
      {
        token: word,
        sysctls: someKeys(word),
        kubelet: fc.record(
          {
            image: word,
            extraArgs: someKeys(fc.oneof(word, fc.array(word, { maxLength: 2 }))),
            registerWithFQDN: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        install: fc.record({ disk: word, wipe: fc.boolean() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    cluster: fc.record(
      {
        clusterName: word,
        network: fc.record({ podSubnets: fc.array(word, { maxLength: 2 }) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['machine'] },
);
const textOf = (value: unknown) => JSON.stringify(value);
const apply = (base: Configuration, ...patches: unknown[]) =>
  encodeConfiguration(
    applyPatches(
      base,
      patches.map((patch) => parsePatch(textOf(patch))),
    ),
  );

test('a patch without lists applied twice gives the same result as applied once', () => {
  fc.assert(
    fc.property(patchWithoutLists, (patch) => {
      assert.equal(apply(generated, patch, patch), apply(generated, patch));
    }),
  );
});

test('an empty patch changes nothing, and no patch changes its base', () => {
  const before = encodeConfiguration(generated);
  assert.equal(apply(generated, { machine: {} }), before);
  fc.assert(
    fc.property(patchWithoutLists, (patch) => {
      apply(generated, patch);
      assert.equal(encodeConfiguration(generated), before);
    }),
  );
});

test('the result of a patch contains every value of the patch', () => {
  fc.assert(
    fc.property(patchWithoutLists, (patch) => {
      const [legacy] = applyPatches(generated, [parsePatch(textOf(patch))]);
      const contains = (whole: unknown, part: unknown): boolean =>
        typeof part !== 'object' || part === null || Array.isArray(part)
          ? JSON.stringify(whole) === JSON.stringify(part)
          : Object.entries(part).every(([key, value]) =>
              contains((whole as Record<string, unknown>)?.[key], value),
            );
      assert.equal(contains(legacy?.value, patch), true);
    }),
  );
});

test('applying two patches in order gives the same result as applying their merge', () => {
  fc.assert(
    fc.property(patchWithoutLists, patchWithoutLists, (first, second) => {
      const merged = applyPatches(loadConfiguration(textOf(first)), [parsePatch(textOf(second))]);
      assert.equal(apply(generated, first, second), apply(generated, merged[0]?.value));
    }),
  );
});

test('deleting a document that a patch added restores the configuration', () => {
  const before = encodeConfiguration(generated);
  fc.assert(
    fc.property(word, fc.integer({ min: 1, max: 4094 }), (name, vlanID) => {
      const bring = { apiVersion: 'v1alpha1', kind: 'VLANConfig', name, vlanID };
      const remove = { apiVersion: 'v1alpha1', kind: 'VLANConfig', name, $patch: 'delete' };
      assert.notEqual(apply(generated, bring), before);
      assert.equal(apply(generated, bring, remove), before);
    }),
  );
});
