import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeConfiguration, loadConfiguration } from '@nodewright/machine-config';
import { redactYaml } from './redact-yaml.ts';
import { KnownSecrets, SecretFilter } from './secret-filter.ts';
import { shownConfiguration } from './shown-configuration.ts';

const key = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MHcCAQEEIIrYSSNQ',
  'FaA2Hwf1duRSxKtL',
  '-----END EC PRIVATE KEY-----',
];

test('SecretFilter removes a private key over several lines, in one line, with escapes, and in base64', () => {
  const filtered = (text: string) => new SecretFilter().text(text);
  assert.equal(
    filtered(['before', `a: ${key[0]}`, ...key.slice(1), 'after'].join('\n')),
    'before\na: <REDACTED>\nafter',
  );
  assert.equal(filtered(`{"key":"${key.join('\\n')}","a":1}`), '{"key":"<REDACTED>","a":1}');
  assert.equal(filtered(`key is ${Buffer.from(key.join('\n')).toString('base64')}!`), 'key is <REDACTED>!');
});

test('SecretFilter keeps certificates, public keys and plain words', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMHcCAQEE\n-----END CERTIFICATE-----';
  const text = [
    certificate,
    Buffer.from(certificate).toString('base64'),
    'the token was refused',
    'token: x',
  ].join('\n');
  assert.equal(new SecretFilter().text(text), text);
});

test('SecretFilter recognises secrets by their names, in logs of any format', () => {
  const lines = {
    'join with token=abcdef.0123456789 now': 'join with token=<REDACTED> now',
    '{"password": "hunter22", "user": "u"}': '{"password": "<REDACTED>", "user": "u"}',
    'Authorization: Bearer eyJhbGciOi.J9eyJ': 'Authorization: Bearer <REDACTED>',
    'pull https://user:hunter22@registry.example/v2': 'pull https://user:<REDACTED>@registry.example/v2',
  };
  for (const [line, expected] of Object.entries(lines)) assert.equal(new SecretFilter().line(line), expected);
});

test('SecretFilter removes known secrets everywhere, including those that become known later', () => {
  const known = new KnownSecrets();
  const filter = new SecretFilter(known);
  known.add(['abc.def+', 'abc.def+ghi', 'abc']);
  assert.equal(filter.line('xabc.def+ghi abc.def+ abcXdef abc'), 'x<REDACTED> <REDACTED> abcXdef abc');
});

test('SecretFilter stops looking for the end of a key after a limit, and shows the lines after it', () => {
  const filter = new SecretFilter();
  filter.line(key[0] as string);
  const shown = Array.from({ length: 300 }, (_, at) => filter.line(`line ${at}`)).filter(
    (line) => line !== undefined,
  );
  assert.deepEqual([shown.length > 90, shown.at(-1)], [true, 'line 299']);
});

test('redactYaml() replaces the values of secret fields, also in lists and as a block', () => {
  const yaml =
    'token: abcdef\nname: token\npeers:\n    - presharedKey: |\n        two\n        lines\n      endpoint: a\nsecret: true\npassword: ""\n';
  assert.equal(
    redactYaml(yaml).yaml,
    'token: <REDACTED>\nname: token\npeers:\n    - presharedKey: <REDACTED>\n      endpoint: a\nsecret: true\npassword: ""\n',
  );
  assert.equal(redactYaml('a: 1\nb:   [1,  2]\n').yaml, 'a: 1\nb:   [1,  2]\n');
  assert.equal(redactYaml('token: [broken').yaml, '<REDACTED>\n');
});

test('shownConfiguration() has neither secrets nor texts that a user wrote into files and manifests', () => {
  const text = `version: v1alpha1
machine:
  type: worker
  token: aaaaaa.bbbbbbbbbbbbbbbb
  files: [{ path: /var/key, op: create, permissions: 0o600, content: "of a file" }]
cluster:
  extraManifestHeaders: { Authorization: of-a-header }
  inlineManifests: [{ name: m, contents: "of a manifest" }]
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: e
configFiles: [{ content: of-an-extension, mountPath: /x }]
environment: [TS_AUTHKEY=of-the-environment]
`;
  const shown = new SecretFilter().text(encodeConfiguration(shownConfiguration(loadConfiguration(text))));
  assert.deepEqual(shown.match(/aaaaaa|of[ -]an?[ -]\w+|of-the-environment/g), null);
  assert.match(shown, /TS_AUTHKEY=<REDACTED>/);
  assert.match(shown, /permissions: 0o600.*Authorization: <REDACTED>/s);
});
