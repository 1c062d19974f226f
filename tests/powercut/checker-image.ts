// The disk of the machine that examines images: the root of the ordinary image with the checker in the place of machined,
// behind the same init and its hash tree. Nothing of it is part of what is shipped.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootOfSlot } from '@nodewright/boot';
import { sectorBytes, verityTree } from '@nodewright/disk';
import { makeMachineDisk } from '@nodewright/provision/machine';
import { build } from 'esbuild';
import { commandLine } from '../../rootfs/disk/boot-entries.ts';
import { placedPartitions, writeDiskImage } from '../../rootfs/disk/disk-image.ts';
import { makeExtPartition } from '../../rootfs/disk/ext-partition.ts';
import { unpackTools } from '../../rootfs/workshop.ts';

const checkout = join(import.meta.dirname, '..', '..');
const programs = 'usr/lib/nodewright';
/** What the checker does not need, so that the disk is made faster. */
const unused = ['opt/cni', 'usr/bin/containerd', 'usr/bin/containerd-shim-runc-v2', 'usr/bin/runc'];

export interface CheckerImage {
  readonly disk: string;
  readonly commandLine: string;
}

/** Makes the disk below `folder`, unless it is there for the same root and the same checker. */
export async function makeCheckerImage(imageFolder: string, folder: string): Promise<CheckerImage> {
  const program = await bundleChecker();
  const squashfs = readFileSync(join(imageFolder, 'rootfs.squashfs'));
  const key = createHash('sha256').update(squashfs).update(program).digest('hex').slice(0, 16);
  const target = join(folder, `checker-${key}`);
  const made = { disk: join(target, 'disk.raw'), commandLine: join(target, 'cmdline.txt') };
  if (!existsSync(target)) {
    const work = mkdtempSync(join(tmpdir(), 'checker-'));
    try {
      const words = await makeDisk(work, join(imageFolder, 'rootfs.squashfs'), program);
      mkdirSync(`${target}.new`, { recursive: true });
      makeMachineDisk(join(work, 'disk.raw'), join(`${target}.new`, 'disk.raw'), 0);
      writeFileSync(join(`${target}.new`, 'cmdline.txt'), words);
      renameSync(`${target}.new`, target);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return { disk: made.disk, commandLine: readFileSync(made.commandLine, 'utf8') };
}

async function bundleChecker(): Promise<Buffer> {
  const { outputFiles } = await build({
    ...{ bundle: true, platform: 'node', target: 'node26', format: 'cjs', write: false, logLevel: 'warning' },
    entryPoints: [join(import.meta.dirname, 'checker', 'main.ts')],
    absWorkingDir: checkout,
    // koffi's ES module looks up its own path, which does not exist in a bundle; the CommonJS form does not.
    alias: { koffi: join(checkout, 'node_modules', 'koffi', 'index.cjs') },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
}

/** Returns the kernel's command line. */
async function makeDisk(work: string, shipped: string, program: Buffer): Promise<string> {
  const architecture = 'amd64';
  const tools = await unpackTools({ checkout, work, architecture });
  const [root, squashfs] = [join(work, 'root'), join(work, 'rootfs.squashfs')];
  tools.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-no-xattrs', '-dest', root, shipped]);
  for (const path of unused) rmSync(join(root, path), { recursive: true, force: true });
  writeFileSync(join(root, programs, 'machined', 'machined.cjs'), program);
  const options = [
    '-noappend',
    '-no-progress',
    '-quiet',
    '-all-root',
    '-comp',
    'zstd',
    '-Xcompression-level',
    '3',
  ];
  tools.run('usr/bin/mksquashfs', [root, squashfs, ...options]);
  const data = readFileSync(squashfs);
  const tree = verityTree(data, { salt: Buffer.alloc(32), uuid: Buffer.alloc(16) });
  const line = commandLine(architecture, { slot: 'A', extensions: [], rootHash: tree.rootHash });
  const place = placedPartitions().find(({ label }) => label === 'BOOT');
  if (place === undefined) throw new Error('the layout of disks has no partition BOOT');
  const boot = makeExtPartition(tools, work, {
    ...{
      label: 'BOOT',
      bytes: (place.last - place.first + 1) * sectorBytes,
      epochSeconds: 0,
      uuid: place.guid,
    },
    files: rootOfSlot('A', { squashfs: data, hashTree: tree.file, line }),
  });
  writeDiskImage(join(work, 'disk.raw'), { partitions: { BOOT: boot } });
  return line;
}
