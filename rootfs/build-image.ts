// `make image`: builds the kernel, the initramfs, the unified kernel image and the disk image of a machine, without root.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildInfo } from '@nodewright/contract';
import { nativeArchitecture } from '../tools/images/architecture.ts';
import type { LockedTools } from './debian/locked-tools.ts';
import { commandLine, grubMenu } from './disk/boot-entries.ts';
import { makeBootPartition } from './disk/boot-partition.ts';
import { layout, placedPartitions, writeDiskImage } from './disk/disk-image.ts';
import { makeEfiPartition } from './disk/efi-partition.ts';
import { makeGrub } from './disk/grub-image.ts';
import { settingsFiles } from './image/settings-files.ts';
import { unifiedKernel } from './image/unified-kernel.ts';
import { verityTree } from './image/verity-tree.ts';
import { buildInit } from './initramfs/build-init.ts';
import { makeInitramfs } from './initramfs/initramfs.ts';
import { selectModules } from './initramfs/kernel-modules.ts';
import { initModules, kernelPackage } from './recipe.ts';
import { commitTime, megabytes, runBuild, unpackLocked, unpackTools, type Workshop } from './workshop.ts';

const slot = 'A';
const menuSeconds = 3;
const mib = 1 << 20;

interface Kernel {
  readonly release: string;
  readonly image: Buffer;
  readonly initramfs: Buffer;
}

/** Takes the kernel and its modules from the locked package, and compiles the init. */
async function makeKernel(workshop: Workshop, tools: LockedTools): Promise<Kernel> {
  const folder = join(workshop.work, 'kernel');
  await unpackLocked(kernelPackage[workshop.architecture], folder, workshop);
  const [path = ''] = globSync('boot/vmlinuz-*', { cwd: folder });
  const init = buildInit(tools, join(workshop.checkout, 'rootfs/init'), workshop.work);
  return {
    release: basename(path).replace('vmlinuz-', ''),
    image: readFileSync(join(folder, path)),
    initramfs: makeInitramfs(init, selectModules(folder, initModules)),
  };
}

/** The hash tree of a squashfs. Salt and name are derived from the data, so that the same data has the same tree. */
function hashTreeOf(squashfs: Buffer) {
  const digest = createHash('sha256').update(squashfs).digest();
  return verityTree(squashfs, { salt: digest, uuid: digest.subarray(0, 16) });
}

async function main(checkout: string): Promise<void> {
  const note = (line: string) => void process.stdout.write(`image: ${line}\n`);
  const out = join(checkout, '_out', 'image');
  const work = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    const tools = await unpackTools(workshop);
    const epochSeconds = commitTime(checkout);
    const squashfs = readFileSync(join(out, 'rootfs.squashfs'));
    const tree = hashTreeOf(squashfs);
    const kernel = await makeKernel(workshop, tools);
    const words = commandLine(workshop.architecture, { slot, rootHash: tree.rootHash });
    const isAmd64 = workshop.architecture === 'amd64';
    const stub = `usr/lib/systemd/boot/efi/linux${isAmd64 ? 'x64' : 'aa64'}.efi.stub`;
    const unified = unifiedKernel(readFileSync(tools.path(stub)), {
      osRelease: settingsFiles(buildInfo, '')['etc/os-release'] ?? '',
      commandLine: words,
      kernelRelease: kernel.release,
      kernel: kernel.image,
      initramfs: kernel.initramfs,
    });
    const artefacts: Record<string, Buffer> = {
      vmlinuz: kernel.image,
      initramfs: kernel.initramfs,
      'rootfs.verity': tree.file,
      'nodewright.efi': unified,
      'cmdline.txt': Buffer.from(`${words}\n`),
    };
    mkdirSync(out, { recursive: true });
    for (const [name, content] of Object.entries(artefacts)) {
      writeFileSync(join(out, name), content);
      note(`${megabytes(content.length)}  ${name}`);
    }
    const entry = { slot, tag: buildInfo.tag, commandLine: words } as const;
    const sizeOf = (label: string) => (layout.find((row) => row.label === label)?.mib ?? 0) * mib;
    const boot = makeBootPartition(tools, work, {
      bytes: sizeOf('BOOT'),
      epochSeconds,
      uuid: placedPartitions().find(({ label }) => label === 'BOOT')?.guid ?? '',
      files: {
        'grub/grub.cfg': Buffer.from(grubMenu([entry], menuSeconds)),
        [`${slot}/vmlinuz`]: kernel.image,
        [`${slot}/initramfs`]: kernel.initramfs,
        [`${slot}/rootfs.squashfs`]: squashfs,
        [`${slot}/rootfs.verity`]: tree.file,
      },
    });
    const efi = makeEfiPartition(tools, work, {
      bytes: sizeOf('EFI'),
      epochSeconds,
      files: { [`EFI/BOOT/BOOT${isAmd64 ? 'X64' : 'AA64'}.EFI`]: unified },
    });
    const coreSector = placedPartitions().find(({ label }) => label === 'BIOS')?.first ?? 0;
    const disk = join(out, 'disk.raw');
    writeDiskImage(disk, {
      ...(isAmd64 ? { grub: makeGrub(tools, work, coreSector) } : {}),
      partitions: { EFI: efi, BOOT: boot },
    });
    note(`disk image ${disk}`);
    writeFileSync(
      join(out, 'SHA256SUMS'),
      sums(out, [...Object.keys(artefacts), 'rootfs.squashfs', 'disk.raw']),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Digests in the format of `sha256sum --check`. */
function sums(folder: string, names: readonly string[]): string {
  return names
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}

if (import.meta.main) await runBuild('image', () => main(join(import.meta.dirname, '..')));
