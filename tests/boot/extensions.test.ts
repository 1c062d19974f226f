// System extensions on an emulated machine: their files are in its root, and nothing else than what was built is mounted.
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork, makeMachineDisk } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { stringify } from 'yaml';
import { kernelPackage } from '../../rootfs/recipe.ts';
import { unpackLocked } from '../../rootfs/workshop.ts';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { flipByte } from './changed-disk.ts';
import { writeExtension } from './extension-source.ts';
import { type ImageWithExtensions, imageWithExtensions } from './image-with-extensions.ts';
import { type Machine, type MachineInit, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const checkout = join(import.meta.dirname, '..', '..');
const { succeeds, shows, talosctl, generate, trusted, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

const shared = 'usr/local/share/demo/shared';
const built: Promise<ImageWithExtensions> | undefined = skip === false ? build() : undefined;

function build(): Promise<ImageWithExtensions> {
  const sources = join(workplace.folder, 'sources');
  mkdirSync(sources);
  const first = { [shared]: 'of first', 'usr/local/share/demo/first': 'only first' };
  const second = { [shared]: 'of second' };
  return imageWithExtensions(workplace.folder, [
    writeExtension(sources, 'first', first),
    writeExtension(sources, 'second', second),
  ]);
}

const image = async () => (await built) ?? assert.fail('there is no image');

test('a machine has the files of its extensions, of which the later ones replace those of the earlier ones', {
  skip,
}, async () => {
  const { disk, commandLine } = await image();
  await generate('demo');
  const boot = { kind: 'kernel', commandLine, words: [guestNetwork] } as const;
  await using machine = await startMachine({ disk, boot });
  await machine.shows(/\/boot\/A\/extensions\/2\.squashfs is block device 7:4/);
  await succeeds(['-n', machine.api, 'version', '--insecure']);
  await succeeds(['-n', machine.api, 'apply-config', '--insecure', '-f', 'controlplane.yaml']);
  const read = (path: string) => succeeds([...trusted(machine), 'read', path]);
  assert.equal(await read(`/${shared}`), 'of second');
  assert.equal(await read('/usr/local/share/demo/first'), 'only first');
  assert.match(await read('/etc/os-release'), /^NAME=/m);
  const mounts = await read('/proc/mounts');
  assert.match(mounts, /^overlay \/ overlay ro,nosuid,nodev,/m);
  assert.doesNotMatch(mounts, / \/layers/);
  const table = await succeeds([...trusted(machine), 'get', 'extensions']);
  assert.match(table, / 1 +1 +first +1\.2\.3$/m);
  assert.match(table, / 2 +1 +second +1\.2\.3$/m);
});

/** An extension with a module of the kernel that the root lacks, a rule that names its device, and a service that waits for it. */
async function serviceExtension(folder: string): Promise<string> {
  const kernel = join(folder, 'kernel');
  await unpackLocked(kernelPackage.amd64, kernel, { checkout, architecture: 'amd64' });
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
  makeMachineDisk(image, disk, 3 * 2 ** 30);
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

test('a machine whose extensions are not those of its command line ends, and its console says why', {
  skip,
}, async () => {
  const { disk, commandLine, layers } = await image();
  const changed = join(workplace.folder, 'changed.raw');
  copyFileSync(disk, changed);
  // The superblock of the first layer, which is read when the layer is mounted.
  flipByte(changed, { home: 'BOOT', content: layers[0] ?? Buffer.alloc(0), distance: 40 });
  const lists = (change: (list: string) => string) =>
    commandLine.replace(/(?<=extensions=)\S+/, change).replace('panic=10', 'panic=1');
  const hash = '0'.repeat(64);
  const cases: readonly (Pick<MachineInit, 'disk'> & { commandLine: string; shows: RegExp })[] = [
    {
      disk: changed,
      commandLine: lists((list) => list),
      shows: /extensions\/1\.squashfs is block device 7:2[\s\S]*verity: 7:2: data block 0 is corrupted/,
    },
    {
      // One digit of the root hash of the first layer.
      commandLine: lists((list) => list.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
      shows: /extensions\/1\.squashfs is block device 7:2[\s\S]*verity: 7:2: metadata block \d+ is corrupted/,
    },
    {
      commandLine: lists((list) => `${list},${hash}`),
      shows: /cannot open \/boot\/A\/extensions\/3\.verity: error 2/,
    },
    {
      commandLine: lists((list) => `${list},nonsense`),
      shows: /nodewright\.extensions has "nonsense" in place of the SHA-256 of a hash tree/,
    },
    {
      commandLine: `${lists((list) => list)} nodewright.extensions=`,
      shows: /nodewright\.extensions must be once on the kernel's command line, with at most 16 hashes/,
    },
    {
      commandLine: lists(() => Array.from({ length: 17 }, () => hash).join(',')),
      shows: /nodewright\.extensions must be once on the kernel's command line, with at most 16 hashes/,
    },
  ];
  for (const { commandLine, shows, ...other } of cases) {
    await using machine = await startMachine({ disk, ...other, boot: { kind: 'kernel', commandLine } });
    await machine.shows(shows);
    assert.doesNotMatch(machine.console(), /switching to the root file system|daemon serves/);
  }
});
