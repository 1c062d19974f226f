import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseDigestList, parseEnvironmentBlock } from '@nodewright/boot';
import { readMeta, sectorBytes } from '@nodewright/disk';
import type { ArtefactFile } from '@nodewright/installer';
import { installTarget, planInstall } from '../domain/install-plan.ts';
import { SimulatedInstallDisk } from '../testing/simulated-install.ts';
import { folderPartition, testMemory, testSystem } from '../testing/test-system.ts';
import { runInstall } from './install-executor.ts';
import { createInstalledFiles, type InstallArtefact, imageBytesOf } from './installed-files.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const system = testSystem('the new system');
const contents: Readonly<Record<string, Buffer>> = {
  ...system.contents,
  'machine/loader/systemd-boot.efi': Buffer.from('systemd-boot'),
  'machine/loader/loader.conf': Buffer.from('timeout 3\n'),
  'machine/loader/grub/boot-code': Buffer.alloc(440, 1),
  'machine/loader/grub/core': Buffer.alloc(3000, 2),
  'machine/loader/grub/grub.cfg': Buffer.from('# the menu\n'),
  'machine/images/blobs/one': Buffer.from('an image'),
};

/** @param changed replaces files; undefined removes one */
function artefactWith(changed: Readonly<Record<string, Buffer | undefined>> = {}): InstallArtefact {
  const all = Object.entries({ ...contents, ...changed }).filter(
    (entry): entry is [string, Buffer] => entry[1] !== undefined,
  );
  const files: ArtefactFile[] = all.map(([path, content]) => ({
    ...{ path, sizeBytes: content.length },
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return {
    ...{ version: 'v1.14.1', rootHash: system.rootHash, files },
    async read(sink, isWanted) {
      for (const [index, file] of files.entries())
        if (isWanted(file)) await sink.write(file, pieces(all[index]?.[1] ?? Buffer.alloc(0)));
    },
  };
}

async function* pieces(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

interface Options {
  readonly artefact?: InstallArtefact;
  readonly extra?: readonly string[];
  readonly confirmChoice?: () => Promise<void>;
}

async function install({ artefact = artefactWith(), extra = [], confirmChoice }: Options = {}) {
  const disk = new SimulatedInstallDisk((6000 * (1 << 20)) / sectorBytes);
  const partitions = new Map(
    ['BOOT', 'EFI', 'IMAGECACHE', 'STATE'].map((label) => [label, folderPartition(label)] as const),
  );
  const stateFolder = mkdtempSync(join(tmpdir(), 'state-'));
  folders.push(stateFolder, ...[...partitions.values()].map(({ folder }) => folder));
  writeFileSync(join(stateFolder, 'config.yaml'), 'version: v1alpha1\n', { mode: 0o600 });
  writeFileSync(join(stateFolder, 'meta.json'), '{}');
  mkdirSync(join(stateFolder, 'secrets'), { mode: 0o700 });
  writeFileSync(join(stateFolder, 'secrets/key'), 'secret', { mode: 0o400 });
  const mounted: string[] = [];
  const files = createInstalledFiles({
    ...{
      artefact,
      memory: testMemory,
      extraKernelArguments: extra,
      stateFolder,
      confirmChoice,
      leftOut: ['meta.json'],
    },
    values: async () => new Map([[0x0c, Buffer.from('kept')]]),
    partition(label, device) {
      mounted.push(`${label} ${device()}`);
      return partitions.get(label) ?? folderPartition(label);
    },
  });
  const target = installTarget({
    ...{ disk: '/dev/nvme0n1', sectors: disk.sectors, marksMbr: true, newGuid: () => crypto.randomUUID() },
    imageBytes: imageBytesOf(artefact.files),
  });
  const lines: string[] = [];
  const run = runInstall(planInstall(target), {
    ...{ port: disk, files, target, report: (line: string) => void lines.push(line) },
    signal: new AbortController().signal,
  });
  const at = (label: string, path: string) => join(partitions.get(label)?.folder ?? '', path);
  return { disk, run, at, lines, mounted, target };
}

const text = (path: string) => readFileSync(path, 'latin1');

test('an installation writes everything that a machine starts from', async () => {
  const { disk, run, at, target, lines } = await install();
  await run;
  assert.deepEqual(readdirSync(at('BOOT', '')).sort(), ['A', 'grub']);
  assert.deepEqual(readdirSync(at('BOOT', 'A')).sort(), [
    ...['SHA256SUMS', 'cmdline', 'entry.cfg', 'initramfs', 'rootfs.squashfs', 'rootfs.verity', 'roothash'],
    'vmlinuz',
  ]);
  assert.deepEqual([...parseDigestList(text(at('BOOT', 'A/SHA256SUMS'))).keys()], ['vmlinuz', 'initramfs']);
  assert.equal(text(at('BOOT', 'grub/grub.cfg')), '# the menu\n');
  const environment = readFileSync(at('BOOT', 'grub/grubenv'));
  assert.equal(environment.length, 1024);
  assert.deepEqual(Object.fromEntries(parseEnvironmentBlock(environment)), {
    saved_entry: 'A',
    next_entry: '',
  });
  assert.equal(text(at('EFI', 'EFI/BOOT/BOOTX64.EFI')), 'systemd-boot');
  assert.equal(text(at('EFI', 'loader/loader.conf')), 'timeout 3\n');
  assert.deepEqual(readdirSync(at('EFI', 'EFI/Linux')), ['nodewright-a.efi']);
  assert.equal(text(at('IMAGECACHE', 'blobs/one')), 'an image');
  assert.equal(text(at('STATE', 'config.yaml')), 'version: v1alpha1\n');
  assert.deepEqual(readdirSync(at('STATE', '')).sort(), ['config.yaml', 'secrets']);
  assert.equal(statSync(at('STATE', 'secrets/key')).mode & 0o777, 0o400);
  const meta = target.partitions.find(({ label }) => label === 'META')?.first ?? 0;
  assert.deepEqual(readMeta(disk.bytes(meta * sectorBytes, 1 << 20))?.get(0x0c), Buffer.from('kept'));
  const first = disk.bytes(0, sectorBytes);
  const bios = target.partitions.find(({ label }) => label === 'BIOS')?.first ?? 0;
  assert.deepEqual(
    [first.readUInt8(446), Number(first.readBigUInt64LE(0x5c)), first.readUInt8(0)],
    [0x80, bios, 1],
  );
  assert.equal(disk.bytes(bios * sectorBytes, 1024).readUInt8(600), 2);
  assert.deepEqual(
    disk.table()?.partitions.map(({ label }) => label),
    [...['EFI', 'BIOS', 'BOOT', 'META', 'IMAGECACHE', 'STATE']],
  );
  assert.equal(lines.at(-1), 'making the disk bootable');
});

test('an installation adds kernel arguments to the entry of GRUB and to the command line of the slot', async () => {
  const { run, at } = await install({ extra: ['talos.dashboard.disabled=1', '-console'] });
  await run;
  const line = text(at('BOOT', 'A/cmdline'));
  assert.match(
    line,
    /^talos\.dashboard\.disabled=1 nodewright\.slot=A .*nodewright\.roothash=[0-9a-f]{64}\n$/,
  );
  assert.ok(text(at('BOOT', 'A/entry.cfg')).includes(`linux /A/vmlinuz ${line}`));
});

test('an installation from an artefact that contradicts itself leaves a disk that starts nothing', async () => {
  const other = testSystem('another system');
  const cases = {
    'another root': { 'machine/rootfs.squashfs': other.contents['machine/rootfs.squashfs'] },
    'another command line': { 'machine/A/cmdline': other.contents['machine/A/cmdline'] },
  };
  for (const [name, changed] of Object.entries(cases)) {
    const { disk, run, at } = await install({ artefact: artefactWith(changed) });
    await assert.rejects(
      run,
      { kind: 'data-loss', message: /\/dev\/nvme0n1 failed at the step "fill"/ },
      name,
    );
    assert.ok(disk.bytes(0, sectorBytes).equals(Buffer.alloc(sectorBytes)));
    assert.equal(existsSync(at('BOOT', 'A/SHA256SUMS')), false);
  }
});

test('an installation refuses an artefact without boot loaders before the disk is changed', async () => {
  for (const path of ['machine/loader/grub/core', 'machine/loader/systemd-boot.efi', 'machine/A/entry.cfg'])
    await assert.rejects(install({ artefact: artefactWith({ [path]: undefined }) }), {
      kind: 'failed-precondition',
      message: new RegExp(`lacks ${path}`),
    });
});

test('an installation on a disk that vanishes says so', async () => {
  const { disk, run } = await install({
    async confirmChoice() {
      throw Object.assign(new Error('ENXIO: no such device or address, open'), { code: 'ENXIO' });
    },
  });
  await assert.rejects(run, {
    message: /^\/dev\/nvme0n1 has vanished: the installation failed at the step "complete slot"/,
  });
  assert.ok(disk.bytes(0, sectorBytes).equals(Buffer.alloc(sectorBytes)));
});
