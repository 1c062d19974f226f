import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateConfig, generateSecrets } from '@nodewright/machine-config';
import { encodePrivateKey, generateCertificateAuthority, generateKey } from '@nodewright/pki';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { worlds } from '../../base/domain/world.ts';
import { validateForNode } from './validate-for-node.ts';

const secrets = await generateSecrets({
  now: new Date(),
  keys: {
    certificateAuthority: generateCertificateAuthority,
    serviceAccountKey: async () => ({
      key: encodePrivateKey((await generateKey('ecdsa-p256')).privateKey),
    }),
  },
});

const options = { installImage: 'installer:v1.14.0' };
const generated = (type: 'controlplane' | 'worker') =>
  generateConfig({ secrets, type, clusterName: 'test', endpoint: 'https://127.20.0.2:6443', options });

for (const world of Object.values(worlds)) {
  test(`validateForNode() accepts the output of gen config in the world ${world.name}`, () => {
    for (const type of ['controlplane', 'worker'] as const) {
      assert.deepEqual(validateForNode(decodeConfiguration(generated(type)), world), []);
    }
  });
}

test('validateForNode() accepts a partial configuration', () => {
  const part = 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\nauto: off\n';
  assert.deepEqual(validateForNode(decodeConfiguration(part), worlds.process), []);
});

test('validateForNode() returns warnings and reports all errors at once', () => {
  const text = generated('worker');
  const joining = text.replace('type: worker', 'type: join');
  assert.match(
    validateForNode(decodeConfiguration(joining), worlds.process).join(),
    /machine.type should be "worker"/,
  );
  const wrong = text
    .replace('type: worker', 'type: laptop')
    .replace('cluster:\n', 'cluster:\n    etcd: {}\n');
  assert.throws(() => validateForNode(decodeConfiguration(wrong), worlds.process), {
    kind: 'invalid-argument',
    message: /^1 error occurred:\n\t\* v1alpha1\.Config: \d errors occurred:\n.*machine\.type must be/s,
  });
});

test('validateForNode() is less strict for a stored configuration than for one from a call', () => {
  const withoutDns = generated('worker')
    .split('---\n')
    .filter((document) => !/HostDNS|ResolverConfig/.test(document))
    .join('---\n');
  const configuration = decodeConfiguration(withoutDns);
  assert.throws(() => validateForNode(configuration, worlds.container), { kind: 'invalid-argument' });
  assert.deepEqual(validateForNode(configuration, worlds.container, { isStored: true }), []);
});

test('validateForNode() accepts 64 log destinations and refuses more', () => {
  const legacy = (count: number) =>
    generated('worker').replace(
      'machine:\n',
      `machine:\n    logging:\n        destinations:\n${Array.from({ length: count }, (_, at) => `            - { endpoint: "udp://10.0.0.1:${at + 1}", format: json_lines }\n`).join('')}`,
    );
  const ofKernel = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: a${at}\nurl: udp://10.0.0.1:${at + 1}\n`,
    ).join('---\n');
  for (const text of [legacy, ofKernel]) {
    const validate = (count: number) => validateForNode(decodeConfiguration(text(count)), worlds.process);
    assert.deepEqual(validate(64), []);
    assert.throws(() => validate(65), {
      kind: 'invalid-argument',
      message: 'there are 65 log destinations, more than the limit of 64 per node',
    });
    assert.deepEqual(validateForNode(decodeConfiguration(text(65)), worlds.process, { isStored: true }), []);
  }
});
