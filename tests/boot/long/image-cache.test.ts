// The image cache of an emulated machine: containerd pulls through registryd, also after the power has failed during a pull, and needs
// the registry no more afterwards. Two boots: a verb of its own runs it.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTestImage, openTestRegistry } from '@nodewright/containers/testing';
import { guestNetwork, hostAddress } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { ensureBusybox } from '../../../tools/engine/ensure-busybox.ts';
import { type Machine, noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const { folder, succeeds, shows, generate, configures, trusted, machineDisk, talosctl, ...workplace } =
  openWorkplace();
after(() => workplace[Symbol.dispose]());

const timeoutMs = 900_000;
const image = 'registry.example/test/shell:v1';
/** Its layer with padding is larger than what one connection delivers at first. */
const paddingBytes = 8_000_000;
const cutAfterBytes = 2_000_000;

/** An image cache, and a mirror on this host for a registry that does not exist. */
const documents = (port: string) => `---
apiVersion: v1alpha1
kind: ImageCacheConfig
local:
  enabled: true
---
apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: registry.example
skipFallback: true
endpoints:
  - url: http://${hostAddress}:${port}
`;

async function status(machine: Machine) {
  const [node] = JSON.parse(await succeeds([...trusted(machine), 'registry', 'status', '-o', 'json']));
  return { downloaded: Number(node.downloadedBytes), served: Number(node.servedBytes) };
}

async function servesImages(machine: Machine): Promise<void> {
  const own = trusted(machine);
  await shows([...own, 'service', 'registryd'], /STATE +Running\n.*HEALTH +OK/, timeoutMs);
  await shows([...own, 'get', 'imagecacheconfig', '-o', 'yaml'], /status: ready/, timeoutMs);
  await shows([...own, 'services'], /cri +Running +OK/, timeoutMs);
}

const listed = (machine: Machine) =>
  succeeds([...trusted(machine), 'image', 'list', '--namespace', 'cri'], timeoutMs);

test('containerd on a machine pulls through registryd, also after a power failure, and again without the registry', {
  skip,
}, async () => {
  await using scope = new AsyncDisposableStack();
  const registry = await openTestRegistry();
  const registryScope = scope.use(new AsyncDisposableStack());
  registryScope.use(registry);
  const shell = await makeTestImage({ busybox: ensureBusybox(checkout), paddingBytes });
  registry.put('test/shell', 'v1', shell.manifest, [shell]);
  const patch = JSON.stringify({ machine: { time: { disabled: true } } });
  await generate('demo', '--config-patch-control-plane', patch);
  appendFileSync(join(folder, 'controlplane.yaml'), documents(registry.host.split(':').at(-1) ?? ''));
  const disk = machineDisk('disk.raw');
  const start = () =>
    startMachine({ disk, keepsDisk: true, boot: { kind: 'kernel', words: [guestNetwork] } });
  {
    await using machine = await start();
    await configures(machine, 'controlplane.yaml');
    await servesImages(machine);
    registry.cutAfterBytes = cutAfterBytes;
    // It gets no further than the registry allows, however often it is repeated.
    const pulling = talosctl(...trusted(machine), 'image', 'pull', image);
    let last = '';
    await eventually(
      async () => {
        const now = await status(machine);
        last = JSON.stringify(now);
        return now.downloaded > cutAfterBytes / 2;
      },
      { what: 'a part of a layer', timeoutMs, explain: () => last },
    );
    assert.doesNotMatch(await listed(machine), /test\/shell/);
    await machine[Symbol.asyncDispose]();
    assert.equal((await pulling).exitCode, 1);
  }
  registry.cutAfterBytes = undefined;
  await using machine = await start();
  const own = trusted(machine);
  await servesImages(machine);
  assert.doesNotMatch(await listed(machine), /test\/shell/);

  await succeeds([...own, 'image', 'pull', image], timeoutMs);
  assert.match(await listed(machine), /registry\.example\/test\/shell:v1/);
  const afterPull = await status(machine);
  assert.ok(afterPull.served > paddingBytes, JSON.stringify(afterPull));
  assert.match(await succeeds([...own, 'registry', 'images']), /registry\.example\/test\/shell:v1/);
  assert.match(await succeeds([...own, 'registry', 'upstreams']), new RegExp(`${hostAddress}:`));

  await registryScope.disposeAsync();
  await succeeds([...own, 'image', 'remove', '--namespace', 'cri', image], timeoutMs);
  assert.doesNotMatch(await listed(machine), /test\/shell/);
  await succeeds([...own, 'image', 'pull', image], timeoutMs);
  assert.equal((await status(machine)).downloaded, afterPull.downloaded);
  assert.match(await listed(machine), /registry\.example\/test\/shell:v1/);
  assert.equal((await talosctl(...own, 'image', 'pull', 'registry.example/test/other:v1')).exitCode, 1);
});
