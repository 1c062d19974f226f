import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownTextSecrets, variableSecrets } from './own-texts.ts';
import { KnownSecrets } from './secret-filter.ts';

/** What is left of a line when all secrets of a text are known. */
function shown(text: string, line: string): string {
  const known = new KnownSecrets();
  known.add(ownTextSecrets(text));
  return known.redact(line);
}

const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: cilium-config, namespace: kube-system, labels: {app.kubernetes.io/part-of: cilium}}
data:
  enable-ipv4: "true"
  plain: hunter22
  phrase: correct horse battery
  url: postgres://app:hunter23@db/app
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cilium-operator}
spec:
  containers: [{name: c, image: "quay.io/cilium/cilium:v1.15.6", args: [--config-dir=/tmp/cilium/config-map]}]
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: abcdefgh}
data: {a: aHVudGVyMjQ=}
`;

test('ownTextSecrets() finds the values of a manifest, decoded and in base64', () => {
  const lines = ['hunter22', 'correct horse battery', 'abcdefgh', 'hunter23', 'hunter24', 'aHVudGVyMjI='];
  assert.deepEqual(
    lines.map((line) => shown(manifest, `using ${line} now`)),
    lines.map((line) => `using <REDACTED>${line.endsWith('=') ? '=' : ''} now`),
  );
});

test('ownTextSecrets() leaves the names, images and paths of a manifest, which are in every log', () => {
  const line =
    'cilium-operator of kube-system runs quay.io/cilium/cilium:v1.15.6 with --config-dir=/tmp/cilium/config-map enable-ipv4';
  assert.equal(shown(manifest, line), line);
});

test('ownTextSecrets() finds the words of a file that are no ordinary ones, and its named secrets', () => {
  const file =
    '# of a service\n[plugins."io.containerd.cri.v1.images"]\nlicense = "ABCD-1234-EFGH-5678"\nmachine a login b password hunter25\n';
  assert.deepEqual(
    ['ABCD-1234-EFGH-5678', 'hunter25', 'io.containerd.cri.v1.images'].map((line) => shown(file, line)),
    ['<REDACTED>', '<REDACTED>', 'io.containerd.cri.v1.images'],
  );
});

test('ownTextSecrets() counts a text of one line as a secret, with and without its scheme', () => {
  assert.deepEqual(
    ['Bearer abcdef', 'abcdef', 'bearer'].map((line) => shown('Bearer abcdef', line)),
    ['<REDACTED>', '<REDACTED>', 'bearer'],
  );
});

test('variableSecrets() finds values that nobody would expect elsewhere, whatever the name of the variable', () => {
  const known = new KnownSecrets();
  const secrets = [
    'hunter2',
    'p@ss-w0rd',
    'correct horse battery staple',
    'redis://:hunter26@db/0',
    'Zm9vYmFyYmF6MTIz',
  ];
  const ordinary = [
    'true',
    'production',
    '/var/lib/app',
    '10.0.0.0/8,localhost,.svc',
    'http://proxy.example.com:3128',
    'v1.15.6',
  ];
  for (const value of [...secrets, ...ordinary]) known.add(variableSecrets(value));
  const texts = (values: readonly string[]) => values.map((value) => known.redact(`using ${value} now`));
  for (const text of texts(secrets)) assert.match(text, /^using .*<REDACTED>.* now$/);
  assert.doesNotMatch(texts(secrets).join(), /hunter|w0rd|horse|Zm9v/);
  assert.deepEqual(
    texts(ordinary),
    ordinary.map((value) => `using ${value} now`),
  );
});
