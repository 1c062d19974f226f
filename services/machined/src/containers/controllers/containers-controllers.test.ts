import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Controller, strong } from '@nodewright/controllers';
import { pointerTo, putResource } from '@nodewright/state';
import { etcFileSpecs, imageCacheConfigs, registryConfigs, services } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { criConfigController } from './cri-config.ts';
import { createCriServiceController } from './cri-service.ts';
import { imageCacheConfigController } from './image-cache-config.ts';
import { registriesConfigController } from './registries-config.ts';

const configuration = (registries: string) => `
version: v1alpha1
machine: { type: worker, token: t.oken, registries: { ${registries} } }
cluster: { controlPlane: { endpoint: https://10.0.0.1:6443 } }
`;

/** Keeps the specs of files until their files are gone, as the controller does that writes them. */
const fileWriter: Controller = {
  name: 'FileWriter',
  inputs: [strong(etcFileSpecs)],
  outputs: [],
  async reconcile(pass) {
    for (const { metadata } of await pass.list(etcFileSpecs)) {
      const pointer = pointerTo(etcFileSpecs, metadata.id);
      await (metadata.phase === 'running' ? pass.hold(pointer) : pass.release(pointer));
    }
  },
};

test('containerd gets its files and starts once there is a configuration, and follows the registries', async () => {
  const calls: string[] = [];
  const service = { start: () => void calls.push('start'), stop: async () => void calls.push('stop') };
  const follower = createCriServiceController(service);
  await using rig = openControllerRig([
    registriesConfigController('http://127.0.0.1:3172'),
    criConfigController({ oomScore: -500, lowersOomScores: true, limitsPods: true }),
    follower,
    fileWriter,
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

test('the image cache is the first mirror of every registry while registryd is healthy', async () => {
  await using rig = openControllerRig([
    imageCacheConfigController(() => ['/system/imagecache/disk']),
    registriesConfigController('http://127.0.0.1:3172'),
  ]);
  const mirrors = 'mirrors: { docker.io: { endpoints: [http://10.0.2.2:5000], skipFallback: true } }';
  const found = async () => {
    await rig.settled();
    const [[, cache] = []] = await rig.specs(imageCacheConfigs);
    const [[, registries] = []] = await rig.specs(registryConfigs);
    const endpoints = Object.entries(registries?.mirrors ?? {}).map(([host, mirror]) => [
      host,
      mirror.endpoints.map(({ endpoint }) => endpoint),
    ]);
    return [cache?.status, cache?.roots, Object.fromEntries(endpoints)];
  };
  await rig.configure(configuration(mirrors));
  const own = ['http://10.0.2.2:5000'];
  assert.deepEqual(await found(), ['disabled', [], { 'docker.io': own }]);
  const enabled = '---\napiVersion: v1alpha1\nkind: ImageCacheConfig\nlocal: { enabled: true }\n';
  await rig.configure(configuration(mirrors) + enabled);
  const roots = ['/system/imagecache/disk'];
  assert.deepEqual(await found(), ['preparing', roots, { 'docker.io': own }]);
  const put = (healthy: boolean) =>
    putResource(rig.state, {
      ...pointerTo(services, 'registryd'),
      spec: { running: true, healthy, unknown: false },
    });
  await put(true);
  const cache = 'http://127.0.0.1:3172';
  assert.deepEqual(await found(), ['ready', roots, { '*': [cache], 'docker.io': [cache, ...own] }]);
  await put(false);
  assert.deepEqual(await found(), ['preparing', roots, { 'docker.io': own }]);
});
