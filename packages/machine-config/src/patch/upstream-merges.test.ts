// Patches whose result is surprising. The released talosctl gives the same ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { applyPatches } from './apply-patches.ts';
import { parsePatch } from './parse-patch.ts';

const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;

function patched(base: string, patch: string): unknown {
  return applyPatches(loadConfiguration(base), [parsePatch(patch)])[0]?.value;
}

test('a pair of certificate and key of the v1alpha1 document is replaced as a whole', () => {
  const base = 'machine: { ca: { crt: OLD, key: OLD } }\ncluster: { serviceAccount: { key: OLD } }';
  const rest = { cluster: { serviceAccount: { key: 'OLD' } } };
  for (const [ca, expected] of [
    ['{ crt: NEW, key: "" }', { crt: 'NEW', key: '' }],
    ['{ crt: NEW }', { crt: 'NEW' }],
    ['{ key: NEW }', { key: 'NEW' }],
    ['{}', {}],
  ] as const)
    assert.deepEqual(patched(base, `machine: { ca: ${ca} }`), { machine: { ca: expected }, ...rest }, ca);
  assert.deepEqual(patched(base, 'cluster: { serviceAccount: {} }'), {
    machine: { ca: { crt: 'OLD', key: 'OLD' } },
    cluster: { serviceAccount: {} },
  });
  for (const name of ['ca', 'aggregatorCA'])
    assert.deepEqual(
      patched(`cluster: { ${name}: { crt: OLD, key: OLD } }`, `cluster: { ${name}: { crt: NEW } }`),
      {
        cluster: { [name]: { crt: 'NEW' } },
      },
    );
  const tls = document('RegistryTLSConfig', 'name: r\nclientIdentity: { cert: OLD, key: OLD }');
  assert.deepEqual(patched(tls, document('RegistryTLSConfig', 'name: r\nclientIdentity: { cert: NEW }')), {
    name: 'r',
    clientIdentity: { cert: 'NEW', key: 'OLD' },
  });
});

test('two rules for one image in a patch are both kept', () => {
  const rules = (...list: string[]) => document('ImageVerificationConfig', `rules: [${list.join(', ')}]`);
  const base = rules('{ image: a/b, skip: true }');
  assert.deepEqual(patched(base, rules('{ image: c, skip: true }', '{ image: c, deny: true }')), {
    rules: [
      { image: 'a/b', skip: true },
      { image: 'c', skip: true },
      { image: 'c', deny: true },
    ],
  });
  assert.deepEqual(patched(base, rules('{ image: a/b, deny: true }')), {
    rules: [{ image: 'a/b', deny: true }],
  });
});

test('an empty free-form object in a patch keeps the old one', () => {
  for (const [kind, key] of [
    ['KubeAuditPolicyConfig', 'configuration'],
    ['KubeEtcdEncryptionConfig', 'config'],
    ['CRIBaseRuntimeSpecConfig', 'overrides'],
  ] as const)
    assert.deepEqual(patched(document(kind, `${key}: { a: 1 }`), document(kind, `${key}: {}`)), {
      [key]: { a: 1 },
    });
  assert.deepEqual(
    patched(
      'cluster: { apiServer: { auditPolicy: { a: 1 } } }',
      'cluster: { apiServer: { auditPolicy: {} } }',
    ),
    { cluster: { apiServer: { auditPolicy: { a: 1 } } } },
  );
});

test('$patch: delete of a known field that is not set changes nothing', () => {
  const base = 'machine: { token: t, sysctls: { a: "1" }, kubelet: { extraConfig: { a: 1 } } }';
  const value = loadConfiguration(base)[0]?.value;
  const deletion = (path: string) => {
    const keys = path.split('.');
    return keys.reduceRight((inner, key) => `{ ${key}: ${inner} }`, '{ $patch: delete }');
  };
  for (const path of ['machine.disks', 'machine.kubelet.image', 'cluster', 'machine.registries.mirrors'])
    assert.deepEqual(patched(base, deletion(path)), value, path);
  assert.deepEqual(
    patched(
      document('HostnameConfig', 'auto: stable'),
      document('HostnameConfig', 'hostname: { $patch: delete }'),
    ),
    { auto: 'stable' },
  );
  for (const path of [
    'machine.foo',
    'machine.sysctls.b',
    'machine.kubelet.extraConfig.b',
    'machine.time.servers',
  ])
    assert.throws(
      () => patched(base, deletion(path)),
      { message: `failed to delete path '${path}': lookup failed` },
      path,
    );
  assert.throws(() => patched(base, 'machine: { disks: [{ device: a, $patch: delete }] }'), {
    message: "failed to delete path 'machine.disks': lookup failed",
  });
});
