// Artefacts of a new version whose systems do not work. Each is the artefact of `make upgrade-image` with one file exchanged, and with what is
// made of that file: the unified kernel, the root hash, the digests. They are signed with the key of the build, so that only the start shows
// what is wrong with them.
import { constants, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { rootHashIn, slotEntry, unifiedKernelSections } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { secureBootKey } from '@nodewright/build/keys';
import { verityTree } from '@nodewright/disk';
import { type ArtefactDescription, encodeArtefact } from '@nodewright/installer';
import { digestOf } from '@nodewright/oci';
import type { LockedTools } from '../../../rootfs/debian/locked-tools.ts';
import { cachedEtcd } from '../../../rootfs/image/cached-etcd.ts';
import { stubPath } from '../../../rootfs/image/efi-names.ts';
import { packLayer } from '../../../rootfs/image/oci-image.ts';
import { settingsFiles } from '../../../rootfs/image/settings-files.ts';
import { unifiedKernel } from '../../../rootfs/image/unified-kernel.ts';
import { buildInit } from '../../../rootfs/initramfs/build-init.ts';
import { cpioArchive } from '../../../rootfs/initramfs/cpio-archive.ts';
import { signProgram } from '../../../rootfs/secure-boot/authenticode.ts';
import { commitTime, keysFolder } from '../../../rootfs/workshop.ts';
import { readArtefactLayout } from '../artefact-layout.ts';
import { readCpio } from './read-cpio.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const programs = 'usr/lib/nodewright';
const slots = ['A', 'B'] as const;
/** The layer of an artefact that has the files of machines. */
const machineLayer = 0;

/** The files of machines, by their paths in the artefact. */
type Files = Map<string, Buffer>;

interface Bench {
  readonly tools: LockedTools;
  /** An existing folder, which is removed with the image. */
  readonly work: string;
  /** Of the new system. */
  readonly tag: string;
}

/** What is wrong with each, and why a machine with it comes back. */
export const brokenImages = {
  /** Its initramfs has no init. */
  'kernel panics': (files, bench) => changeInitramfs(files, bench, () => undefined),
  /** Its init loads the modules, finds its slot, starts the watchdog, and does nothing more. */
  'kernel hangs after its modules': (files, bench) =>
    changeInitramfs(files, bench, () => changedInit(bench, 'for (;;) pauseMs(1000);')),
  /** Its init ends where it would mount the root. */
  'init stops': (files, bench) => changeInitramfs(files, bench, () => changedInit(bench, 'endProcess(7);')),
  /** Its unified kernel was made for another root. */
  'wrong root hash': (files, bench) => makeUnified(files, bench, (line) => withHash(line, '0'.repeat(64))),
  'machined exits': (files, bench) => changeProgram(files, bench, 'machined', () => 'process.exit(3);\n'),
  /** It starts as usual, and feeds the watchdog once. */
  'machined hangs': (files, bench) =>
    changeProgram(files, bench, 'machined', (program) => `${hangsWhenItFeedsAgain}${program}`),
  'apid never listens': (files, bench) =>
    changeProgram(files, bench, 'apid', () => 'setInterval(() => {}, 1000);\n'),
  /** One of its services ends whenever it is started. */
  'never ready': (files, bench) => changeProgram(files, bench, 'trustd', () => 'process.exit(3);\n'),
} as const satisfies Record<string, (files: Files, bench: Bench) => void>;

export type BrokenImage = keyof typeof brokenImages;

const hangsWhenItFeedsAgain = `{
  const files = require('node:fs');
  const { writeSync } = files;
  let fed = 0;
  files.writeSync = (file, text, ...rest) => {
    if (text === '\\0' && ++fed > 1) for (;;);
    return writeSync(file, text, ...rest);
  };
}
`;

/**
 * Makes a broken artefact of a good one.
 *
 * @param good the folder of a layout
 * @param folder of the new layout, which must not exist
 */
export function makeBrokenImage(name: BrokenImage, tools: LockedTools, good: string, folder: string): void {
  const { description, layers, diffIds, blob } = readArtefactLayout(good);
  const { layers: listed, ...described } = description;
  const packed = readFileSync(blob(layers[machineLayer]?.digest ?? ''));
  const files = readMachineFiles(packed, listed[machineLayer] ?? []);
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  brokenImages[name](files, { tools, work, tag: description.version });
  rmSync(work, { recursive: true });

  const epochSeconds = commitTime(checkout);
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { diffId, layer } = packLayer(
    sorted.map(([path, content]) => ({ name: path, content: { kind: 'file', data: [content] } })),
    ...[epochSeconds, 'none' as const],
  );
  const sha256 = (content: Buffer) => digestOf(content).replace('sha256:', '');
  const machine = {
    ...{ descriptor: { mediaType: layer.mediaType, digest: layer.digest, size: layer.size }, diffId },
    files: sorted.map(([path, content]) => ({
      ...{ path, sizeBytes: content.length, sha256: sha256(content) },
    })),
  };
  const others = layers.slice(1).map((descriptor, index) => ({
    ...{ descriptor, diffId: diffIds[index + 1] ?? '', files: listed[index + 1] ?? [] },
  }));
  const encoded = encodeArtefact({
    description: { ...described, rootHash: rootHashIn(textOf(files, 'machine/A/cmdline')) },
    platform: { os: 'linux', architecture: nativeArchitecture() },
    layers: [machine, ...others],
    ...{ epochSeconds, signer: secureBootKey(keysFolder(checkout)) },
  });
  const write = (path: string, content: Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  write('index.json', encoded.layoutIndex);
  const place = (digest: string) => `blobs/${digest.replace(':', '/')}`;
  for (const { descriptor, bytes } of [encoded.index, encoded.manifest, encoded.config])
    write(place(descriptor.digest), bytes);
  write(place(layer.digest), layer.content);
  for (const { descriptor } of others)
    copyFileSync(blob(descriptor.digest), join(folder, place(descriptor.digest)), constants.COPYFILE_FICLONE);
}

/** The layer is an archive that is not compressed, with its files in the order of the list. */
function readMachineFiles(archive: Buffer, listed: ArtefactDescription['layers'][number]): Files {
  const block = 512;
  const files: Files = new Map();
  let at = 0;
  for (const { path, sizeBytes } of listed) {
    const name = archive.toString('latin1', at, archive.indexOf(0, at));
    if (name !== path) throw new Error(`the layer has ${name} where its list has ${path}`);
    files.set(path, archive.subarray(at + block, at + block + sizeBytes));
    at += block + Math.ceil(sizeBytes / block) * block;
  }
  return files;
}

function fileIn(files: Files, path: string): Buffer {
  const content = files.get(path);
  if (content === undefined) throw new Error(`the artefact has no ${path}`);
  return content;
}

const textOf = (files: Files, path: string) => fileIn(files, path).toString('latin1').trim();

const withHash = (line: string, hash: string) => line.replace(rootHashIn(line), hash);

/** Makes the unified kernels again, of the files that there are now, and signs them. */
function makeUnified(files: Files, { tools, tag }: Bench, changeLine = (line: string) => line): void {
  const stub = readFileSync(tools.path(stubPath(nativeArchitecture())));
  const { key, certificate } = secureBootKey(keysFolder(checkout));
  for (const slot of slots) {
    const path = `machine/${slot}/nodewright.efi`;
    const old = fileIn(files, path);
    const place = unifiedKernelSections(old).get('.uname');
    if (place === undefined) throw new Error(`${path} has no release of its kernel`);
    const program = unifiedKernel(stub, {
      osRelease: settingsFiles({ tag }, '')['etc/os-release'] ?? '',
      commandLine: changeLine(textOf(files, `machine/${slot}/cmdline`)),
      kernelRelease: old.toString('latin1', place.offset, place.offset + place.bytes),
      kernel: fileIn(files, 'machine/vmlinuz'),
      initramfs: fileIn(files, 'machine/initramfs'),
    });
    files.set(path, signProgram(program, key, certificate));
  }
}

/** @param makeInit of the new init; undefined for an initramfs without one */
function changeInitramfs(files: Files, bench: Bench, makeInit: () => Buffer | undefined): void {
  const path = 'machine/initramfs';
  const init = makeInit();
  const entries = readCpio(zstdDecompressSync(fileIn(files, path)))
    .filter((entry) => entry.path !== 'init' || init !== undefined)
    .map((entry) => (entry.path === 'init' && init !== undefined ? { ...entry, content: init } : entry));
  // The kernel unpacks an archive that is not compressed, too.
  files.set(path, cpioArchive(entries));
  makeUnified(files, bench);
}

/** The init of the image that does something else in place of mounting the root. */
function changedInit({ tools, work }: Bench, instead: string): Buffer {
  const usual = '  mountRoot(rootHash);\n';
  const source = join(work, 'init-source');
  mkdirSync(source);
  for (const name of ['medium.h', 'system-calls.h'])
    writeFileSync(join(source, name), readFileSync(join(checkout, 'rootfs', 'init', name)));
  const text = readFileSync(join(checkout, 'rootfs', 'init', 'init.c'), 'utf8');
  if (text.split(usual).length !== 2) throw new Error('the init does not mount its root in one place');
  writeFileSync(join(source, 'init.c'), text.replace(usual, `  ${instead}\n${usual}`));
  return buildInit(tools, { source, work, etcdImage: cachedEtcd, hasKubelet: false });
}

/** Exchanges the program of a daemon in the root, and makes the root hash of the new root. */
function changeProgram(
  files: Files,
  bench: Bench,
  name: 'machined' | 'apid' | 'trustd',
  change: (program: string) => string,
): void {
  const { tools, work, tag } = bench;
  const [root, old, target] = ['root', 'old.squashfs', 'new.squashfs'].map((part) => join(work, part)) as [
    string,
    string,
    string,
  ];
  writeFileSync(old, fileIn(files, 'machine/rootfs.squashfs'));
  tools.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-no-xattrs', '-dest', root, old]);
  const program = join(root, programs, name, `${name}.cjs`);
  writeFileSync(program, change(readFileSync(program, 'latin1')), 'latin1');
  const options = ['-noappend', '-no-progress', '-quiet', '-all-root', '-no-xattrs', '-comp', 'zstd'];
  tools.run('usr/bin/mksquashfs', [root, target, ...options, '-Xcompression-level', '3']);
  const squashfs = readFileSync(target);
  const tree = verityTree(squashfs, { salt: Buffer.alloc(32), uuid: Buffer.alloc(16) });
  files.set('machine/rootfs.squashfs', squashfs);
  files.set('machine/rootfs.verity', tree.file);
  for (const slot of slots) {
    const commandLine = withHash(textOf(files, `machine/${slot}/cmdline`), tree.rootHash);
    files.set(`machine/${slot}/cmdline`, Buffer.from(`${commandLine}\n`));
    files.set(`machine/${slot}/entry.cfg`, Buffer.from(slotEntry({ slot, tag, commandLine })));
  }
  makeUnified(files, bench);
}
