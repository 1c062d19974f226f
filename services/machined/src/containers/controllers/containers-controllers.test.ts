import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcFileSpecs, registryConfigs } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { criConfigController } from './cri-config.ts';
import { createCriServiceController } from './cri-service.ts';
import { registriesConfigController } from './registries-config.ts';

const configuration = (registries: string) => `
version: v1alpha1
machine: { type: worker, token: t.oken, registries: { ${registries} } }
cluster: { controlPlane: { endpoint: https://10.0.0.1:6443 } }
`;

test('containerd gets its files and starts once there is a configuration, and follows the registries', async () => {
  const calls: string[] = [];
  const service = { start: () => void calls.push('start'), stop: async () => void calls.push('stop') };
  const follower = createCriServiceController(service);
  await using rig = openControllerRig([
    registriesConfigController(),
    criConfigController({ oomScore: -500 }),
    follower,
  ]);
  await follower.begin(new AbortController().signal);
  await rig.settled();
  assert.deepEqual([calls, await rig.specs(etcFileSpecs)], [[], []]);

  await rig.configure(configuration('mirrors: { docker.io: { endpoints: [http://10.0.2.2:5000] } }'));
  const files = await rig.specs(etcFileSpecs);
  assert.deepEqual(
    files.map(([id, { mode }]) => [id, mode]),
    [
      ['cri/conf.d/hosts/docker.io/hosts.toml', 0o600],
      ['cri/containerd.toml', 0o600],
    ],
  );
  assert.deepEqual(
    (await rig.specs(registryConfigs)).map(([id, { mirrors }]) => [id, mirrors]),
    [
      [
        'registries',
        {
          'docker.io': {
            endpoints: [{ endpoint: 'http://10.0.2.2:5000', overridePath: false }],
            skipFallback: false,
          },
        },
      ],
    ],
  );
  await rig.configure(configuration(''));
  assert.deepEqual(
    (await rig.specs(etcFileSpecs)).map(([id]) => id),
    ['cri/containerd.toml'],
  );
  assert.deepEqual(calls, ['start']);
});
