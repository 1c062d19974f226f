import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateDocuments } from '../generate/generate-config.ts';
import { minors, sampleInput, types } from '../generate/sample-input.ts';
import { documentKinds, documentSchema } from '../schema/document-schema.ts';
import { fieldPaths } from '../schema/field-paths.ts';
import type { FieldMap } from '../schema/parse-schema.ts';
import { redactConfiguration } from './redact-configuration.ts';
import { secretFields } from './secret-fields.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('redactConfiguration() replaces secrets and keeps empty and all other values', () => {
  const text = `version: v1alpha1
machine:
  type: worker
  token: top
  ca: { crt: ${base64('public')}, key: "" }
  registries: { config: { a.b: { auth: { username: u, password: top }, tls: { clientIdentity: { crt: x, key: ${base64('top')} } } } } }
  network: { interfaces: [{ interface: a, vlans: [{ vlanId: 1, vip: { ip: 1.1.1.1, hcloud: { apiToken: top } } }] }] }
cluster:
  token: top
  ca: { crt: x, key: ${base64('top')} }
---
apiVersion: v1alpha1
kind: SideroLinkConfig
apiUrl: https://a/?x=1&jointoken=top&y=2
---
apiVersion: v1alpha1
kind: KubeEtcdEncryptionConfig
config: { resources: [{ providers: [{ secretbox: { keys: [{ name: key2, secret: top }] } }, { aescbc: { keys: [{ name: key1, secret: "" }] } }] }] }
---
apiVersion: v1alpha1
kind: WireguardConfig
name: w
privateKey: top
peers: [{ publicKey: p, presharedKey: top }, { publicKey: q }]
`;
  const redacted = redactConfiguration(loadConfiguration(text), 'x y');
  assert.equal(
    encodeConfiguration(redacted),
    encodeConfiguration(
      loadConfiguration(
        text
          .replaceAll(base64('top'), base64('x y'))
          .replace('jointoken=top', 'jointoken=x%20y')
          .replaceAll(/\btop\b/g, 'x y'),
      ),
    ),
  );
});

test('redactConfiguration() leaves no secret in a generated configuration', () => {
  for (const type of types) {
    for (const minor of minors) {
      const input = sampleInput(type, {}, minor);
      const { cluster, secrets, trustd, certs } = input.secrets;
      const given = [
        cluster.secret,
        ...Object.values(secrets),
        trustd.token,
        ...Object.values(certs).flatMap(({ key }) => [base64(key), key.trim().split('\n')[1] as string]),
      ];
      const written = encodeConfiguration(redactConfiguration(generateDocuments(input)));
      assert.deepEqual(
        given.filter((secret) => secret && written.includes(secret)),
        [],
        `${type} 1.${minor}`,
      );
      assert.equal(/REDACTED|UkVEQUNURUQ=/.test(written), true);
    }
  }
});

test('every secret field exists in the schema', () => {
  for (const { kind, path, form } of secretFields) {
    let fields: FieldMap | undefined = documentSchema(kind)?.fields;
    let type: string | undefined;
    for (const key of path) {
      if (key === '*') continue;
      const field = fields?.get(key);
      type = field?.type;
      fields = field?.fields;
    }
    const types = { 'secrets-inside': 'free', 'join-token': 'url', 'url-password': 'map:str' } as const;
    const wanted = form in types ? types[form as keyof typeof types] : 'str';
    assert.equal(type, wanted, `${kind} ${path.join('.')}`);
  }
});

/** Fields that are named like secrets, and are none. */
const publicFields: readonly string[] = [
  ...[
    'v1alpha1 machine.network.interfaces.*.wireguard.peers.*.publicKey',
    'WireguardConfig peers.*.publicKey',
  ],
  ...['v1alpha1 machine.network.interfaces.*.bond.adUserPortKey', 'BondConfig adUserPortKey'],
  // How a program of the kubelet is called to get credentials.
  'v1alpha1 machine.kubelet.credentialProviderConfig',
];

test('every field with the name of a secret is redacted, or listed as public', () => {
  const known = new Set(secretFields.map(({ kind, path }) => `${kind} ${path.join('.')}`));
  const named = documentKinds.flatMap((kind) =>
    fieldPaths(kind).flatMap(({ path, field }) => {
      if (['obj', 'list', 'map', 'bool', 'int', 'dur'].includes(field.type)) return [];
      const dotted = path.replaceAll('[]', '.*');
      const last = dotted.split('.').findLast((key) => key !== '*') ?? '';
      return /pass|secret|token|key$|auth$|psk|credential/i.test(last) ? [`${kind} ${dotted}`] : [];
    }),
  );
  assert.deepEqual(named.filter((field) => !known.has(field)).sort(), [...publicFields].sort());
});
