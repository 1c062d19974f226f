import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readMeta, sectorBytes } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { platform } from '@nodewright/installer/testing';
import type { DiskSpec } from '@nodewright/state/kinds';
import { diskContent } from '../domain/install-content.ts';
import type { InstallRequest } from '../domain/install-request.ts';
import { SimulatedInstallDisk } from '../testing/simulated-install.ts';
import { artefactOf, signer } from '../testing/test-machine.ts';
import { folderPartition, testMemory, testSystem } from '../testing/test-system.ts';
import { changedWish, type InstallWish, MachineInstallation } from './machine-installation.ts';
import { readContent } from './read-install-disks.ts';

const path = '/dev/vda';
const sectors = (8000 * (1 << 20)) / sectorBytes;
const request: InstallRequest = {
  ...{ disk: path, selector: '', wipes: true, image: 'registry.example/installer:v1.14.1' },
  ...{ extraKernelArguments: [], marksMbr: false },
};

function openMachine(context: TestContext) {
  const disk = new SimulatedInstallDisk(sectors);
  // What somebody else keeps on it.
  disk.store(0, Buffer.alloc(sectorBytes, 7));
  disk.flush();
  const partitions = new Map(
    ['BOOT', 'EFI', 'IMAGECACHE', 'STATE'].map((label) => [label, folderPartition(label)] as const),
  );
  const stateFolder = mkdtempSync(join(tmpdir(), 'state-'));
  context.after(() => {
    for (const folder of [stateFolder, ...[...partitions.values()].map((one) => one.folder)])
      rmSync(folder, { recursive: true });
  });
  writeFileSync(join(stateFolder, 'config.yaml'), 'the first');
  const meta = new Map<number, Uint8Array>();
  const events: string[] = [];
  const hooks = { onHold() {}, inspected() {} };
  const { contents, ...system } = testSystem('new');
  const loaders = {
    'machine/loader/systemd-boot.efi': Buffer.from('systemd-boot'),
    'machine/loader/grub/boot-code': Buffer.alloc(440, 1),
    'machine/loader/grub/core': Buffer.alloc(3000, 2),
    'machine/loader/grub/grub.cfg': Buffer.from('# the menu'),
  };
  const artefact = () => artefactOf({ ...system, contents: { ...contents, ...loaders } });
  const installation = new MachineInstallation({
    ...{ port: disk, platform, isUefi: false, medium: undefined, memory: testMemory },
    source: { open: async () => ({ ...artefact(), async [Symbol.asyncDispose]() {} }) },
    certificates: async () => [signer.certificate],
    ...{ edition: 'plain', version: 'v1.14.1', commandLine: 'console=ttyS0' },
    disks: async () => [{ dev_path: path } as DiskSpec],
    async inspect() {
      const sizeBytes = disk.sectors * sectorBytes;
      const content = await readContent(path, sizeBytes, disk);
      hooks.inspected();
      return [
        {
          ...{ path, links: [], sizeBytes, sectorBytes, isReadOnly: false, isCd: false, isVirtual: false },
          ...{ isMedium: false, model: '', serial: '', user: undefined, ...content },
        },
      ];
    },
    selectors: { select: () => assert.fail('no selector is given') },
    values: () => meta,
    isMaintenance: () => false,
    async holdConfiguration(reason) {
      hooks.onHold();
      events.push(`held: ${reason}`);
      return { [Symbol.dispose]: () => void events.push('released') };
    },
    ...{ stateFolder, leftOut: [] },
    partition: (label) => partitions.get(label) ?? folderPartition(label),
    confirmChoice: undefined,
    signal: new AbortController().signal,
    log: { info() {}, warn() {}, error() {} } as never,
  });
  const install = (wish?: InstallWish) => installation.installConfigured(request, () => {}, wish);
  const installed = () => {
    const first = disk.table()?.partitions.find(({ label }) => label === 'META')?.first ?? 0;
    const values = readMeta(disk.bytes(first * sectorBytes, 1 << 20));
    return {
      configuration: readFileSync(join(partitions.get('STATE')?.folder ?? '', 'config.yaml'), 'utf8'),
      meta: values?.get(0x0a)?.toString(),
    };
  };
  return { disk, install, installed, stateFolder, meta, events, hooks };
}

const contentOf = (disk: SimulatedInstallDisk) =>
  diskContent(
    disk.bytes(0, 1 << 20),
    disk.bytes(disk.sectors * sectorBytes - (1 << 20), 1 << 20),
    disk.sectors,
  ).content;

test('an installation copies the last configuration and META, and both stay as they are until the restart', async (context) => {
  const { install, installed, stateFolder, meta, events, hooks } = openMachine(context);
  // A change that was being made when the installation asked for the configuration to be held.
  hooks.onHold = () => {
    writeFileSync(join(stateFolder, 'config.yaml'), 'the second');
    meta.set(0x0a, Buffer.from('later'));
  };
  await install();
  assert.deepEqual(installed(), { configuration: 'the second', meta: 'later' });
  assert.deepEqual(events, [
    'held: the system is installed on /dev/vda with the configuration before this one: restart the machine, and apply this one then',
  ]);
});

test('an installation that fails after it has held the configuration lets it change again', async (context) => {
  const { disk, install, events, hooks } = openMachine(context);
  hooks.onHold = () => {
    disk.sectorsLeft = 0;
  };
  await assert.rejects(install(), { message: /failed at the step "write values"/ });
  assert.deepEqual(events.at(-1), 'released');
});

test('an installation that the configuration does not ask for any more ends, also in the last moment', async (context) => {
  const early = openMachine(context);
  const stop = new AbortController();
  early.hooks.inspected = () => stop.abort(changedWish());
  await assert.rejects(early.install({ signal: stop.signal, isWanted: () => false }), {
    kind: 'cancelled',
    message: 'the configuration asks for something else now',
  });
  assert.equal(contentOf(early.disk), 'other', 'nothing was written');

  const late = openMachine(context);
  const wish = { signal: new AbortController().signal, isWanted: () => false };
  await assert.rejects(late.install(wish), { message: /asks for something else now$/ });
  assert.ok(late.disk.bytes(0, sectorBytes).equals(Buffer.alloc(sectorBytes)), 'it starts nothing');
  assert.equal(late.events.at(-1), 'released');
});

test('nothing is written to a disk that is in use, or that is another one than the chosen one', async (context) => {
  const used = openMachine(context);
  used.disk.onClaim = () => {
    throw new Fault('failed-precondition', '/dev/vda is in use: a file system, swap space or a device on it');
  };
  await assert.rejects(used.install(), { message: /is in use/ });
  assert.ok(used.disk.bytes(0, sectorBytes).equals(Buffer.alloc(sectorBytes, 7)));

  const changed = openMachine(context);
  const filled = Buffer.alloc(sectorBytes, 8);
  changed.disk.onClaim = () => {
    // The disk of another machine has come up by this path.
    changed.disk.store(0, Buffer.alloc(sectorBytes));
    changed.disk.store(3 << 20, filled);
  };
  await assert.rejects(changed.install(), {
    kind: 'failed-precondition',
    message: '/dev/vda has changed since it was chosen: it is another disk, or something has written to it',
  });
  assert.ok(changed.disk.bytes(3 << 20, sectorBytes).equals(filled));
});
