import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCertificate } from '@nodewright/pki';
import { parse, stringify } from 'yaml';
import { decodeSecrets, encodeSecrets } from './encode-secrets.ts';
import { generateSecrets, type KeySource } from './generate-secrets.ts';
import { sampleKeys, sampleSecrets, seededRandom } from './sample-secrets.ts';

const now = new Date('2026-01-02T03:04:05Z');

test('generateSecrets() returns the same bundle for the same clock, random bytes and keys', async () => {
  assert.deepEqual(await sampleSecrets(), await sampleSecrets());
});

test('generateSecrets() requests all certificate authorities concurrently', async () => {
  const requested: string[] = [];
  const { promise: allRequested, resolve } = Promise.withResolvers<void>();
  const wait = async <T>(what: string, made: Promise<T>): Promise<T> => {
    if (requested.push(what) === 5) resolve();
    await allRequested;
    return made;
  };
  const keys: KeySource = {
    certificateAuthority: (init) =>
      wait(
        `${init.algorithm} ${init.organization} ${init.notBefore.toISOString()}`,
        sampleKeys.certificateAuthority(init),
      ),
    serviceAccountKey: (algorithm) => wait(algorithm, sampleKeys.serviceAccountKey(algorithm)),
  };
  await generateSecrets({ now, random: seededRandom(2), keys });
  assert.deepEqual(requested.sort(), [
    'ecdsa-p256 etcd 2026-01-02T03:04:05.000Z',
    'ecdsa-p256 front-proxy 2026-01-02T03:04:05.000Z',
    'ecdsa-p256 kubernetes 2026-01-02T03:04:05.000Z',
    'ed25519 talos 2026-01-02T03:04:05.000Z',
    'rsa-4096',
  ]);
});

test('generateSecrets() generates distinct tokens in the form of bootstrap tokens', async () => {
  const { secrets, trustd } = await generateSecrets({ now, keys: sampleKeys });
  assert.match(secrets.bootstrapToken, /^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  assert.match(trustd.token, /^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  assert.notEqual(secrets.bootstrapToken, trustd.token);
});

test('generateSecrets() encodes 32 random bytes in the base64 alphabet of the contract', async () => {
  // The bytes 0xfb 0xff encode to the two characters in which the base64 alphabets differ.
  const random = (sizeBytes: number) =>
    new Uint8Array(sizeBytes).map((_, at) => (at % 2 === 0 ? 0xfb : 0xff) % 252);
  const current = await generateSecrets({ now, random, keys: sampleKeys });
  const old = await generateSecrets({ now, random, keys: sampleKeys, contract: { major: 1, minor: 13 } });
  assert.equal(Buffer.from(current.cluster.id, 'base64').length, 32);
  assert.equal(current.cluster.id.includes('+') || current.cluster.id.includes('/'), true);
  assert.equal(old.cluster.id, current.cluster.id.replaceAll('+', '-').replaceAll('/', '_'));
  assert.equal(old.cluster.secret, current.cluster.secret);
});

test('generateSecrets() generates the kinds of keys of old contracts', async () => {
  const { secrets, certs } = await sampleSecrets({ major: 1, minor: 2 });
  assert.deepEqual(Object.keys(secrets).sort(), ['aescbcEncryptionSecret', 'bootstrapToken']);
  assert.equal(
    certs.kubernetesServiceAccount.key.includes(
      Buffer.from('key ecdsa-p256').toString('base64').slice(0, 16),
    ),
    true,
  );
});

test('encodeSecrets() writes the keys of secrets.yaml in lower case and in order', async () => {
  const tree = parse(encodeSecrets(await sampleSecrets()));
  const keys = Object.entries(tree).map(([key, value]) => [key, Object.keys(value as object)]);
  assert.deepEqual(keys, [
    ['cluster', ['id', 'secret']],
    ['secrets', ['bootstraptoken', 'secretboxencryptionsecret']],
    ['trustdinfo', ['token']],
    ['certs', ['etcd', 'k8s', 'k8saggregator', 'k8sserviceaccount', 'os']],
  ]);
});

test('decodeSecrets() decodes what encodeSecrets() wrote, for new and old contracts', async () => {
  for (const minor of [2, 15]) {
    const bundle = await sampleSecrets({ major: 1, minor });
    assert.deepEqual(decodeSecrets(encodeSecrets(bundle)), bundle);
  }
});

test('decodeSecrets() ignores unknown keys', async () => {
  const bundle = await sampleSecrets();
  assert.deepEqual(decodeSecrets(`${encodeSecrets(bundle)}later: { something: new }\n`), bundle);
});

test('decodeSecrets() names each missing part', async () => {
  const text = encodeSecrets(await sampleSecrets());
  const tree = parse(text);
  const paths: string[][] = [];
  const collect = (value: unknown, path: string[]): void => {
    if (typeof value !== 'object' || value === null) paths.push(path);
    else for (const [key, child] of Object.entries(value)) collect(child, [...path, key]);
  };
  collect(tree, []);
  assert.equal(paths.length, 14);
  for (const path of paths) {
    const broken = structuredClone(tree);
    const parent = path.slice(0, -1).reduce((value, key) => value[key], broken);
    delete parent[path.at(-1) as string];
    const expected = path.at(-1)?.endsWith('encryptionsecret')
      ? 'secrets bundle: one of secrets.secretboxencryptionsecret and secrets.aescbcencryptionsecret is required'
      : `secrets bundle: ${path.join('.')} is required`;
    assert.throws(() => decodeSecrets(stringify(broken)), { kind: 'invalid-argument', message: expected });
  }
});

test('decodeSecrets() rejects two encryption secrets and malformed parts, without quoting them', async () => {
  const tree = parse(encodeSecrets(await sampleSecrets()));
  const withPart = (section: string, key: string, value: string) =>
    stringify({ ...tree, [section]: { ...tree[section], [key]: value } });
  const rows: [string, RegExp][] = [
    [withPart('secrets', 'aescbcencryptionsecret', tree.cluster.secret), /only one of .* may be set/],
    [
      withPart('cluster', 'secret', 'c2hvcnQ='),
      /line 3, column 11: cluster\.secret must be base64 of 32 bytes$/,
    ],
    [
      stringify({ ...tree, certs: { ...tree.certs, os: { crt: 'not-pem', key: 'x' } } }),
      /2 problems:\n {2}line \d+, column 10: certs\.os\.crt must be base64-encoded PEM\n {2}line \d+, column 10: certs\.os\.key must be base64-encoded PEM$/,
    ],
    ['', /the file is empty/],
    ['cluster: [', /line 1/],
    ['a: 1\n---\nb: 1\n', /more than one document/],
  ];
  for (const [text, message] of rows) {
    assert.throws(() => decodeSecrets(text), { kind: 'invalid-argument', message });
  }
});

test('generateSecrets() generates real authorities with the expected subjects, PEM labels and validity of ten years', async () => {
  const { certs } = await generateSecrets({ now, contract: { major: 1, minor: 6 } });
  const facts = (pair: { certificate: string; key: string }) => {
    const { subject, notBefore, notAfter, isCa } = parseCertificate(pair.certificate);
    const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pair.key)?.[1];
    return [
      ...subject.organizations,
      label,
      isCa,
      notBefore,
      (notAfter.getTime() - notBefore.getTime()) / 3_600_000,
    ];
  };
  const life = [true, now, 87_600];
  assert.deepEqual([certs.os, certs.etcd, certs.kubernetes, certs.kubernetesAggregator].map(facts), [
    ['talos', 'ED25519 PRIVATE KEY', ...life],
    ['etcd', 'EC PRIVATE KEY', ...life],
    ['kubernetes', 'EC PRIVATE KEY', ...life],
    ['front-proxy', 'EC PRIVATE KEY', ...life],
  ]);
  assert.match(certs.kubernetesServiceAccount.key, /^-----BEGIN EC PRIVATE KEY-----/);
});
