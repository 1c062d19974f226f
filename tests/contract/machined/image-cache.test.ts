// The image cache of a node: machined with the real registryd.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  ApplyConfigurationRequest_Mode,
  MachineServiceDefinition,
} from '@nodewright/contract/gen/machine/machine.ts';
import { digestOf } from '@nodewright/oci';
import { manifestPath } from '@nodewright/oci/cache';
import { codecsOf, pointerTo } from '@nodewright/state';
import { imageCacheConfigs, registryConfigs } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { ownAddress, startNode } from './harness/node-under-test.ts';

const dist = join(import.meta.dirname, '..', '..', '..', '_out', 'dist');
const enabled = (value: boolean) =>
  `---\napiVersion: v1alpha1\nkind: ImageCacheConfig\nlocal:\n  enabled: ${value}\n`;

test('registryd runs on the address of the node while the configuration enables the image cache', async () => {
  const address = ownAddress();
  const config = nodeConfig({
    ...{
      secrets: await clusterSecrets(),
      type: 'worker',
      timeServer: '127.0.0.1:1',
      controlPlaneAddress: address,
    },
  });
  const text = config + enabled(true);
  await using node = await startNode({
    address,
    type: 'worker',
    configuration: { text },
    servicesFolder: dist,
  });
  const manifest = Buffer.from('{"schemaVersion":2,"layers":[]}');
  const named = { registry: 'registry.example', repository: 'team/app' };
  for (const which of [{ tag: 'v1' }, { digest: digestOf(manifest) }]) {
    const path = join(node.root, 'system/imagecache/disk', manifestPath({ ...named, ...which }));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, manifest);
  }
  await node.serviceSays('registryd', /Health check successful/);
  const kinds = [imageCacheConfigs, registryConfigs];
  const client = node.client(StateDefinition, 'os:admin');
  const state = createStateClient({ client, codecs: codecsOf(kinds) });
  const cache = async () => (await state.get(pointerTo(imageCacheConfigs))).spec;
  const mirrors = async () => (await state.get(pointerTo(registryConfigs))).spec.mirrors;
  await eventually(async () => (await cache()).status === 'ready', { what: 'image cache' });
  const url = `http://${address}:3172`;
  await eventually(async () => '*' in (await mirrors()), { what: 'mirror of every registry' });
  assert.deepEqual(await mirrors(), {
    '*': { endpoints: [{ endpoint: url, overridePath: false }], skipFallback: false },
  });
  assert.deepEqual((await cache()).roots, [join(node.root, 'system/imagecache/disk')]);
  const found = await fetch(`${url}/v2/team/app/manifests/v1?ns=registry.example`);
  assert.deepEqual(Buffer.from(await found.arrayBuffer()), manifest);

  const machine = node.client(MachineServiceDefinition, 'os:admin');
  await machine.applyConfiguration({
    ...{ data: Buffer.from(config + enabled(false)), mode: ApplyConfigurationRequest_Mode.NO_REBOOT },
  });
  await eventually(async () => (await cache()).status === 'disabled', { what: 'end of the image cache' });
  await eventually(
    () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    { what: 'end of registryd' },
  );
  await eventually(async () => Object.keys(await mirrors()).length === 0, { what: 'end of the mirror' });
});
