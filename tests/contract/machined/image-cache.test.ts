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
import { RegistryServiceDefinition } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { digestOf } from '@nodewright/oci';
import { manifestPath } from '@nodewright/oci/cache';
import { codecsOf, pointerTo } from '@nodewright/state';
import { imageCacheConfigs, registryConfigs } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { Status } from 'nice-grpc';
import { startUpstream } from '../registryd/upstream.ts';
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

  const asReader = node.client(RegistryServiceDefinition, 'os:reader');
  const { contents, listenAddress, roots } = await asReader.status({});
  assert.deepEqual(
    { contents, listenAddress, roots },
    {
      contents: { images: 1, blobs: 0, blobBytes: 0n },
      ...{ listenAddress: `${address}:3172`, roots: [join(node.root, 'system/imagecache/disk')] },
    },
  );
  const asOperator = node.client(RegistryServiceDefinition, 'os:operator');
  const reference = 'registry.example/team/app:v1';
  await assert.rejects(asReader.collect({}), { code: Status.PERMISSION_DENIED });
  await assert.rejects(asOperator.removeImage({ reference }), { code: Status.PERMISSION_DENIED });
  const asAdmin = node.client(RegistryServiceDefinition, 'os:admin');
  await assert.rejects(asAdmin.removeImage({ reference }), {
    code: Status.FAILED_PRECONDITION,
    details: /^registryd: .* is on media that are only read/,
  });
  assert.equal((await asOperator.collect({})).removedFiles, 0);

  // Mirrors and credentials of the configuration apply to the downloads of registryd at once.
  const machine = node.client(MachineServiceDefinition, 'os:admin');
  await using upstream = await startUpstream();
  upstream.authorization = `Basic ${Buffer.from('user:open-sesame').toString('base64')}`;
  upstream.addImage('team/other', 'v1', [Buffer.from('layer')]);
  const { host } = new URL(upstream.url);
  const documents = [
    `kind: RegistryMirrorConfig\nname: registry.example\nskipFallback: true\nendpoints:\n  - url: ${upstream.url}`,
    `kind: RegistryAuthConfig\nname: ${host}\nusername: user\npassword: open-sesame`,
    `kind: RegistryTLSConfig\nname: ${host}\ninsecureSkipVerify: true`,
  ];
  const withMirror = documents.map((document) => `---\napiVersion: v1alpha1\n${document}\n`).join('');
  await machine.applyConfiguration({
    ...{ data: Buffer.from(text + withMirror), mode: ApplyConfigurationRequest_Mode.NO_REBOOT },
  });
  const endpointOf = async () => {
    const { upstreams } = await asReader.status({});
    return upstreams.find(({ registry }) => registry === 'registry.example')?.endpoints[0];
  };
  await eventually(async () => (await endpointOf())?.hasCredentials === true, { what: 'credentials' });
  assert.deepEqual(
    [(await endpointOf())?.url, (await endpointOf())?.skipsVerification],
    [upstream.url, true],
  );
  const steps = await Array.fromAsync(asOperator.pull({ reference: 'registry.example/team/other:v1' }));
  assert.match(steps.at(-1)?.digest ?? '', /^sha256:/);
  assert.equal((await endpointOf())?.failures, 0n);

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
  await assert.rejects(asReader.status({}), {
    code: Status.FAILED_PRECONDITION,
    details: /^this node has no image cache: .*ImageCacheConfig/,
  });
});
