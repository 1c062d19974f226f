// An extension with a module, a rule and a service on an emulated machine. Four boots: a verb of its own runs it.
import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork, makeMachineDisk } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { stringify } from 'yaml';
import { kernels } from '../../../rootfs/kernels.ts';
import { unpackLocked } from '../../../rootfs/workshop.ts';
import { ensureBusybox } from '../../../tools/engine/ensure-busybox.ts';
import { writeExtension } from '../extension-source.ts';
import { imageWithExtensions } from '../image-with-extensions.ts';
import { type Machine, noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const { succeeds, shows, talosctl, generate, trusted, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

/** An extension with a module of the kernel that the root lacks, a rule that names its device, and a service that waits for it. */
async function serviceExtension(folder: string): Promise<string> {
  const kernel = join(folder, 'kernel');
  await unpackLocked(kernels.cloud.package.amd64, kernel, { checkout, architecture: 'amd64' });
  const [module = assert.fail('the kernel has no brd')] = globSync('usr/lib/modules/*/kernel/**/brd.ko.xz', {
    cwd: kernel,
  });
  const root = 'usr/local/lib/containers/demo/bin';
  const script = [
    'echo "greeting $GREETING, file $(cat /etc/demo.conf), pid $$, disk $(ls /node-dev/demo-disk)"',
    ...['trap "exit 0" TERM', 'while :; do sleep 1; done'],
  ];
  const service = {
    name: 'demo',
    container: {
      ...{ entrypoint: '/bin/sh', args: ['-c', script.join('\n')], environment: ['GREETING=none'] },
      mounts: [{ source: '/dev', destination: '/node-dev', type: 'bind', options: ['rbind', 'ro'] }],
    },
    depends: [{ path: '/dev/demo-disk' }, { configuration: true }, { network: ['addresses'] }],
    restart: 'always',
  };
  const path = writeExtension(folder, 'demo', {
    [module]: readFileSync(join(kernel, module)),
    'usr/lib/udev/rules.d/99-demo.rules': 'SUBSYSTEM=="block", KERNEL=="ram0", SYMLINK+="demo-disk"\n',
    'usr/local/etc/containers/demo.yaml': stringify(service),
    [`${root}/busybox`]: readFileSync(ensureBusybox(checkout)),
  });
  chmodSync(join(path, 'rootfs', root, 'busybox'), 0o755);
  for (const name of ['sh', 'cat', 'ls', 'sleep']) symlinkSync('busybox', join(path, 'rootfs', root, name));
  return path;
}

const document = (content: string) =>
  stringify({
    ...{ apiVersion: 'v1alpha1', kind: 'ExtensionServiceConfig', name: 'demo' },
    configFiles: [{ content, mountPath: '/etc/demo.conf' }],
    environment: ['GREETING=hello'],
  });

test('a module, a udev rule and a service of an extension work, also after a restart, and are gone without it', {
  skip,
}, async () => {
  const folder = join(workplace.folder, 'service');
  mkdirSync(folder);
  const { disk: image, commandLine } = await imageWithExtensions(folder, [await serviceExtension(folder)]);
  const disk = join(folder, 'disk.raw');
  makeMachineDisk(image, disk, 5 * 2 ** 30);
  const machine = {
    time: { disabled: true },
    kernel: { modules: [{ name: 'brd', parameters: ['rd_nr=1'] }] },
  };
  await generate('demo', '--config-patch-control-plane', JSON.stringify({ machine }));
  const configuration = join(workplace.folder, 'controlplane.yaml');
  const plain = readFileSync(configuration, 'utf8');
  const configure = (content: string) => writeFileSync(configuration, `${plain}\n---\n${document(content)}`);
  const start = (words = commandLine) =>
    startMachine({
      ...{ disk, keepsDisk: true },
      boot: { kind: 'kernel', commandLine: words, words: [guestNetwork] },
    });
  const off = async (running: Machine) => {
    await running.pressPower();
    await running.isOff(300_000);
  };
  /** A slow machine may leave maintenance before it has answered: then it answers to its administrator. */
  const configureNew = (running: Machine) =>
    eventually(
      async () => {
        const words = ['-n', running.api, 'apply-config', '--insecure', '-f', 'controlplane.yaml'];
        if ((await talosctl(...words)).exitCode === 0) return true;
        return (await talosctl(...trusted(running), 'version')).exitCode === 0;
      },
      { what: 'the configuration of the machine', timeoutMs: 360_000, explain: running.console },
    );
  const says = (file: string) => new RegExp(`greeting hello, file ${file}, pid 1, disk /node-dev/demo-disk`);
  {
    await using running = await start();
    const own = trusted(running);
    configure('one');
    await configureNew(running);
    await shows([...own, 'logs', 'ext-demo'], says('one'), 480_000);
    await shows([...own, 'services'], /ext-demo +Running/, 240_000);
    assert.match(await succeeds([...own, 'get', 'extensions']), / 2 +1 +modules\.dep +6\./);
    await shows([...own, 'get', 'modules'], /brd +\d+ +dynamic +live/, 240_000);
    assert.match(
      await succeeds([...own, 'containers']),
      /ext-demo +\/usr\/local\/lib\/containers\/demo +\d+ +RUNNING/,
    );
    configure('two');
    await succeeds([...own, 'apply-config', '-f', 'controlplane.yaml']);
    await shows([...own, 'logs', 'ext-demo'], says('two'), 240_000);
    await succeeds([...own, 'service', 'ext-demo', 'stop']);
    await shows([...own, 'services'], /ext-demo +Finished/, 240_000);
    assert.doesNotMatch(await succeeds([...own, 'read', '/proc/mounts']), /containers\/demo/);
    await succeeds([...own, 'service', 'ext-demo', 'start']);
    await shows([...own, 'services'], /ext-demo +Running/, 240_000);
    await off(running);
  }
  {
    await using running = await start();
    await shows([...trusted(running), 'logs', 'ext-demo'], says('two'), 480_000);
    await off(running);
  }
  await using running = await start(commandLine.replace(/(?<=extensions=)\S+/, ''));
  const own = trusted(running);
  await shows([...own, 'services'], /udevd +Running +OK/, 240_000);
  assert.doesNotMatch(await succeeds([...own, 'services']), /ext-/);
  assert.doesNotMatch(await succeeds([...own, 'ls', '/dev']), /demo-disk|ram0/);
  assert.doesNotMatch(await succeeds([...own, 'get', 'extensions']), /demo|modules/);
});
