// System extensions on an emulated machine: their files are in its root, and nothing else than what was built is mounted.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork, makeMachineDisk } from '@nodewright/provision/machine';
import { flipByte } from './changed-disk.ts';
import { writeExtension } from './extension-source.ts';
import { type ImageWithExtensions, imageWithExtensions } from './image-with-extensions.ts';
import { type MachineInit, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

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
  await workplace.configures(machine, 'controlplane.yaml');
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

test('a machine whose extensions are not those of its command line ends, and its console says why', {
  skip,
}, async () => {
  const { disk, commandLine, layers } = await image();
  const changed = join(workplace.folder, 'changed.raw');
  makeMachineDisk(disk, changed, 0);
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
      // One digit of the root hash of the first layer. A layer of one block has no hash tree above that block.
      commandLine: lists((list) => list.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
      shows:
        /extensions\/1\.squashfs is block device 7:2[\s\S]*verity: 7:2: (?:meta)?data block \d+ is corrupted/,
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
