import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateConfig } from '../generate/generate-config.ts';
import { minors, sampleInput } from '../generate/sample-input.ts';
import { secretsFromConfig } from './secrets-from-config.ts';

test('secretsFromConfig() returns the secrets of a generated control plane, for every contract', () => {
  for (const minor of minors) {
    const { secrets: bundle } = sampleInput('controlplane', {}, minor);
    assert.deepEqual(secretsFromConfig(generateConfig(sampleInput('controlplane', {}, minor))), bundle);
  }
});

test('secretsFromConfig() rejects workers, and names the part that is missing on a control plane', () => {
  assert.throws(() => secretsFromConfig(generateConfig(sampleInput('worker'))), {
    kind: 'invalid-argument',
    message: /of a control plane$/,
  });
  const text = generateConfig(sampleInput('controlplane', { skipKubernetesAndEtcd: true }));
  assert.throws(() => secretsFromConfig(text), {
    kind: 'invalid-argument',
    message: /^the configuration does not contain the key that encrypts secrets in etcd$/,
  });
});
