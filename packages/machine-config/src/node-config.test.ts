import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { readNodeConfig } from './node-config.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN ED25519 PRIVATE KEY-----\nMA==\n-----END ED25519 PRIVATE KEY-----\n';
const base64 = (pem: string) => Buffer.from(pem).toString('base64');

const controlPlane = `
machine:
  type: controlplane
  token: 000000.0000000000000000
  ca: { crt: ${base64(certificate)}, key: ${base64(key)} }
  acceptedCAs: [{ crt: ${base64(certificate)} }]
  certSANs: [node.example, 10.0.0.1, 1.50]
  time: { servers: [ntp.example] }
  somethingNew: 1
cluster:
  clusterName: 007
  controlPlane: { endpoint: "https://10.0.0.1:6443" }
`;

test('readNodeConfig() takes texts verbatim, even those that look like numbers', () => {
  assert.deepEqual(readNodeConfig(controlPlane), {
    machineType: 'controlplane',
    token: '000000.0000000000000000',
    ca: { certificate, key },
    acceptedCAs: [certificate],
    certSANs: ['node.example', '10.0.0.1', '1.50'],
    clusterName: '007',
    clusterEndpoint: 'https://10.0.0.1:6443',
    timeServers: ['ntp.example'],
  });
});

test('readNodeConfig() prefers documents over the legacy sections and looks past unknown ones', () => {
  const text = `# comment
---
apiVersion: v1alpha1
kind: TimeSyncConfig
ntp:
    servers: [10.0.0.1, 10.0.0.2]
---
apiVersion: v9
kind: SomethingNew
name: [1, 2]
---
${controlPlane}
---
apiVersion: v1alpha1
kind: KubeClusterConfig
clusterName: alpha
endpoint: https://alpha.example:6443
`;
  const { clusterName, clusterEndpoint, timeServers } = readNodeConfig(text);
  assert.deepEqual(
    { clusterName, clusterEndpoint, timeServers },
    {
      clusterName: 'alpha',
      clusterEndpoint: 'https://alpha.example:6443',
      timeServers: ['10.0.0.1', '10.0.0.2'],
    },
  );
});

test('readNodeConfig() reads every spelling of the machine type', () => {
  const typeOf = (type: string) =>
    readNodeConfig(controlPlane.replace('type: controlplane', `type: ${type}`)).machineType;
  assert.deepEqual(['init', 'controlplane', 'worker', 'join', '""', ''].map(typeOf), [
    'init',
    'controlplane',
    'worker',
    'worker',
    'worker',
    'worker',
  ]);
});

test('readNodeConfig() lets an accepted CA stand in for a missing one on workers only', () => {
  const withoutCA = controlPlane.replace(/ {2}ca: .*\n/, '');
  assert.deepEqual(readNodeConfig(withoutCA.replace('type: controlplane', 'type: worker')).ca, {
    certificate,
  });
  assert.throws(() => readNodeConfig(withoutCA), {
    message: 'machine configuration: document 1, line 3, column 3: machine.ca.crt is missing',
  });
});

test('readNodeConfig() resolves anchors and merge keys', () => {
  const text = `
machine: &machine
  <<: { type: worker, token: aaaaaa.bbbbbbbbbbbbbbbb }
  type: controlplane
  ca: &ca { crt: ${base64(certificate)}, key: ${base64(key)} }
  acceptedCAs: [*ca]
cluster: {}
`;
  const { machineType, token, acceptedCAs } = readNodeConfig(text);
  assert.deepEqual(
    { machineType, token, acceptedCAs },
    { machineType: 'controlplane', token: 'aaaaaa.bbbbbbbbbbbbbbbb', acceptedCAs: [certificate] },
  );
});

test('readNodeConfig() names document, line and key of what is wrong', () => {
  const rows: [string, string][] = [
    ['', 'machine configuration: the v1alpha1 document with "machine" and "cluster" is missing'],
    ['---\n# nothing\n---\nmachine: [', 'decode error: document 2, line 4, column 11: '],
    [
      'machine: { type: x, token: t }',
      'machine configuration: document 1, line 1, column 18: machine.type must be "controlplane" or "worker"',
    ],
    [
      'machine:\n  type: worker\n',
      'machine configuration: document 1, line 2, column 3: machine.token is missing',
    ],
    [
      'machine:\n  token: t\n  ca:\n    crt: "!!"\n',
      'machine configuration: document 1, line 4, column 10: machine.ca.crt must be base64 of PEM',
    ],
    ['machine:\n  - a\n', 'machine configuration: document 1, line 2, column 3: machine must be a mapping'],
    [
      'machine:\n  token: [a]\n',
      'machine configuration: document 1, line 2, column 10: machine.token must be a text',
    ],
    [
      controlPlane.replace(/certSANs: .*/, 'certSANs: a'),
      'machine configuration: document 1, line 7, column 13: machine.certSANs must be a list',
    ],
    [
      controlPlane.replace(/, key: .* \}/, ' }'),
      'machine configuration: document 1, line 5, column 7: machine.ca.key is missing: a control plane needs it',
    ],
    [
      'a: 1\na: 2\n',
      'decode error: document 1, line 2, column 1: mapping key "a" already defined at line 1, column 1',
    ],
    ['a: *b\n', 'decode error: document 1, line 1, column 4: '],
    ['a: &b [*b]\n', 'decode error: document 1, line 1, column 8: alias contains itself'],
    ['- a\n', 'decode error: document 1, line 1, column 1: not a mapping'],
  ];
  for (const [text, message] of rows) {
    assert.throws(
      () => readNodeConfig(text),
      (error) =>
        error instanceof Fault && error.kind === 'invalid-argument' && error.message.startsWith(message),
      message,
    );
  }
});

test('readNodeConfig() does not let aliases blow up a small text', () => {
  const levels = Array.from(
    { length: 12 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(', ')}]`,
  );
  assert.throws(() => readNodeConfig(`l0: &l0 x\n${levels.join('\n')}\n`), {
    message: /aliases repeat too much/,
  });
});

test('readNodeConfig() answers any text with a value or a Fault that quotes no secret', () => {
  const pieces = fc.constantFrom(
    ...(controlPlane.match(/\w+|\s+|\W/g) ?? []),
    '---\n',
    '&a ',
    '*a',
    '<<: ',
    '\t',
    '"',
    '|\n',
  );
  const mangled = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), mangled), (text) => {
      try {
        readNodeConfig(text);
      } catch (error) {
        assert.equal(error instanceof Fault, true, String(error));
        assert.equal(String(error).includes('0000000000000000'), false);
      }
    }),
  );
});
