// containerd on an emulated machine: as a service, with images from a mirror, and its end with the machine.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTestImage, openTestRegistry } from '@nodewright/containers/testing';
import { guestNetwork } from '../../rootfs/machine/emulator-options.ts';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const checkout = join(import.meta.dirname, '..', '..');
const { folder, shows, succeeds, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());
/** The loopback device of this machine, as the emulated one reaches it. */
const hostAddress = '10.0.2.2';

test('a machine runs containerd, pulls images from a mirror, and ends it before its volume', {
  skip,
}, async () => {
  await using registry = await openTestRegistry();
  const image = await makeTestImage({ busybox: ensureBusybox(checkout) });
  registry.put('test/shell', 'v1', image.manifest, [image]);
  await workplace.generate('demo');
  const port = registry.host.split(':').at(-1);
  appendFileSync(
    join(folder, 'controlplane.yaml'),
    [
      ...['---', 'apiVersion: v1alpha1', 'kind: RegistryMirrorConfig', 'name: registry.example'],
      ...['skipFallback: true', 'endpoints:', `  - url: http://${hostAddress}:${port}`, ''],
    ].join('\n'),
  );
  const disk = workplace.machineDisk('disk.raw');
  await using machine = await startMachine({
    ...{ disk, keepsDisk: true },
    boot: { kind: 'kernel', words: [guestNetwork] },
  });
  const own = workplace.trusted(machine);
  await succeeds(['-n', machine.api, 'version', '--insecure']);
  await succeeds(['-n', machine.api, 'apply-config', '--insecure', '-f', 'controlplane.yaml']);

  await shows([...own, 'services'], /cri +Running +OK/, 180_000);
  assert.match(await succeeds([...own, 'logs', 'cri']), /containerd successfully booted/);
  assert.match(await shows([...own, 'get', 'mountstatus'], /CRI/), /CRI .*\/var\/lib\/containerd/);
  const cgroups = await succeeds([...own, 'read', '/sys/fs/cgroup/podruntime/runtime/cgroup.procs']);
  assert.match(cgroups, /^\d+/);
  assert.equal((await succeeds([...own, 'read', '/sys/fs/cgroup/init/cgroup.procs'])).split('\n')[0], '1');

  await shows([...own, 'image', 'pull', 'registry.example/test/shell:v1'], /^/, 120_000);
  for (const words of [['image', 'list', '--namespace', 'cri'], ['containers'], ['stats']])
    await succeeds([...own, ...words]);
  assert.match(
    await succeeds([...own, 'image', 'list', '--namespace', 'cri']),
    /registry\.example\/test\/shell:v1/,
  );

  await machine.pressPower();
  await machine.shows(/reboot: Power down/, 120_000);
  await machine.isOff();
  assert.match(machine.console(), /"service":"cri","state":"Finished"/);
  assert.match(machine.console(), /XFS \(vda6\): Unmounting/);
});
