import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateConfig } from '../generate/generate-config.ts';
import { minors, sampleInput } from '../generate/sample-input.ts';
import { secretsFromConfig } from './secrets-from-config.ts';

test('secretsFromConfig() takes from a control plane, of every contract, the secrets it was made with', () => {
  for (const minor of minors) {
    const { secrets: bundle } = sampleInput('controlplane', {}, minor);
    assert.deepEqual(secretsFromConfig(generateConfig(sampleInput('controlplane', {}, minor))), bundle);
  }
});

test('secretsFromConfig() refuses workers and names the part that a control plane lacks', () => {
  assert.throws(() => secretsFromConfig(generateConfig(sampleInput('worker'))), {
    kind: 'invalid-argument',
    message: /of a control plane$/,
  });
  const text = generateConfig(sampleInput('controlplane', { skipKubernetesAndEtcd: true }));
  assert.throws(() => secretsFromConfig(text), {
    kind: 'invalid-argument',
    message: /^the configuration does not hold the key that encrypts secrets in etcd$/,
  });
});
