// `make image`: builds the root file system, the kernel, the initramfs, the unified kernel image and the disk image of a
// machine, without root. An image that is made from the same inputs already is kept. With `KUBERNETES` the machine also has the images of
// Kubernetes on its disk, and runs a kubelet.
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  choiceEnvironment,
  digestList,
  encodeEnvironmentBlock,
  entryName,
  genericMenu,
  grubFiles,
  loaderConfiguration,
  loaderFiles,
  rootOfSlot,
  slotEntry,
  slotFiles,
  unifiedKernelFolder,
} from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { type SecureBootKey, secureBootKey, trustedCertificates } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import { sectorBytes, verityTree } from '@nodewright/disk';
import { machineImages } from '@nodewright/provision/machine';
import { buildRootfs } from './build-rootfs.ts';
import type { LockedTools } from './debian/locked-tools.ts';
import { commandLine } from './disk/boot-entries.ts';
import {
  type PartitionLabel,
  type PartitionSizes,
  placedPartitions,
  writeDiskImage,
} from './disk/disk-image.ts';
import { makeEfiPartition } from './disk/efi-partition.ts';
import { makeExtPartition } from './disk/ext-partition.ts';
import { makeGrub } from './disk/grub-image.ts';
import { buildExtensions } from './extensions/build-extensions.ts';
import { extensionDigests } from './extensions/extension-digest.ts';
import { extensionsFolder } from './extensions/extensions-document.ts';
import { modulesOfRoot } from './extensions/root-modules.ts';
import { cachedEtcd, etcdImageCache } from './image/cached-etcd.ts';
import { efiNames, loaderPath, stubPath } from './image/efi-names.ts';
import { ensureImage } from './image/ensure-image.ts';
import { imageInputs } from './image/image-inputs.ts';
import { settingsFiles } from './image/settings-files.ts';
import { unifiedKernel } from './image/unified-kernel.ts';
import { buildInit } from './initramfs/build-init.ts';
import { makeInitramfs } from './initramfs/initramfs.ts';
import { hasModule, selectModules } from './initramfs/kernel-modules.ts';
import { type KernelName, kernelNamed, kernels, watchdogDrivers } from './kernels.ts';
import { kubernetesImageCache } from './kubernetes/build-images.ts';
import { signProgram } from './secure-boot/authenticode.ts';
import { signingKey } from './signing/image-keys.ts';
import { signImage } from './signing/image-signatures.ts';
import {
  commitTime,
  keysFolder,
  megabytes,
  runBuild,
  unpackLocked,
  unpackTools,
  type Workshop,
} from './workshop.ts';

const slot = 'A';
/** Room for the images of Kubernetes, besides that of etcd. */
const kubernetesSizes: PartitionSizes = { IMAGECACHE: 256 };

/** What images may differ in. */
interface ImageChoice {
  readonly kernel: KernelName;
  /** The extensions that machines stack on the root, in this order. */
  readonly extensionNames: readonly string[];
  /** Whether machines have the images of Kubernetes and run a kubelet. */
  readonly hasKubernetes: boolean;
}

interface Kernel {
  readonly release: string;
  readonly image: Buffer;
  readonly initramfs: Buffer;
}

/** Takes the kernel and its modules from the locked package, and compiles the init. */
async function makeKernel(workshop: Workshop, tools: LockedTools, hasKubelet: boolean): Promise<Kernel> {
  const folder = join(workshop.work, 'kernel');
  const { package: names, initModules, laterModules } = kernels[workshop.kernel ?? 'cloud'];
  await unpackLocked(names[workshop.architecture], folder, workshop);
  const [path = ''] = globSync('boot/vmlinuz-*', { cwd: folder });
  const init = buildInit(tools, {
    source: join(workshop.checkout, 'rootfs/init'),
    work: workshop.work,
    etcdImage: cachedEtcd,
    hasKubelet,
  });
  const now = selectModules(folder, initModules);
  const isLoaded = new Set(now.map(({ file }) => file));
  const later = selectModules(folder, laterModules).filter(({ file }) => !isLoaded.has(file));
  const drivers = watchdogDrivers.filter((driver) => hasModule(folder, driver));
  const watchdogs = selectModules(folder, drivers).filter(({ file }) => !isLoaded.has(file));
  return {
    release: basename(path).replace('vmlinuz-', ''),
    image: readFileSync(join(folder, path)),
    initramfs: makeInitramfs(init, { now, later, unlisted: watchdogs }),
  };
}

/** Everything that a disk image is made of. */
interface Parts {
  readonly kernel: Kernel;
  readonly squashfs: Buffer;
  readonly hashTree: Buffer;
  /** Files of the folder of extensions, by name. */
  readonly extensions: Readonly<Record<string, Buffer>>;
  readonly commandLine: string;
  /** With its signature for firmware. */
  readonly unified: Buffer;
  /** systemd-boot, with its signature for firmware. */
  readonly loader: Buffer;
}

async function makeParts(
  workshop: Workshop,
  tools: LockedTools,
  { squashfs, extensionNames, hasKubernetes }: Omit<ImageChoice, 'kernel'> & { readonly squashfs: Buffer },
  { key, certificate }: SecureBootKey,
): Promise<Parts> {
  // Salt and name of the tree are derived from the data, so that the same data has the same tree.
  const digest = createHash('sha256').update(squashfs).digest();
  const { rootHash, file: hashTree } = verityTree(squashfs, { salt: digest, uuid: digest.subarray(0, 16) });
  const epochSeconds = commitTime(workshop.checkout);
  const kernel = await makeKernel(workshop, tools, hasKubernetes);
  const modules = { release: kernel.release, place: modulesOfRoot(squashfs, workshop.work, tools) };
  const extensions = await buildExtensions(extensionNames, {
    ...{ tools, epochSeconds, modules },
    work: workshop.work,
  });
  const words = commandLine(workshop.architecture, { slot, rootHash, extensions: extensions.rootHashes });
  const unified = unifiedKernel(readFileSync(tools.path(stubPath(workshop.architecture))), {
    osRelease: settingsFiles(buildInfo, '')['etc/os-release'] ?? '',
    commandLine: words,
    kernelRelease: kernel.release,
    kernel: kernel.image,
    initramfs: kernel.initramfs,
  });
  return {
    ...{ kernel, squashfs, hashTree, extensions: extensions.files, commandLine: words },
    unified: signProgram(unified, key, certificate),
    loader: signProgram(readFileSync(tools.path(loaderPath(workshop.architecture))), key, certificate),
  };
}

async function makeDisk(
  target: string,
  workshop: Workshop,
  tools: LockedTools,
  { parts, hasKubernetes }: { readonly parts: Parts; readonly hasKubernetes: boolean },
): Promise<void> {
  const { work, architecture, checkout } = workshop;
  const epochSeconds = commitTime(checkout);
  const partitionList = placedPartitions(hasKubernetes ? kubernetesSizes : {});
  const placed = new Map(partitionList.map((partition) => [partition.label, partition]));
  const bytesOf = (label: PartitionLabel) => {
    const { first = 0, last = -1 } = placed.get(label) ?? {};
    return (last - first + 1) * sectorBytes;
  };
  const started = {
    [slotFiles.kernel]: parts.kernel.image,
    [slotFiles.initramfs]: parts.kernel.initramfs,
  };
  const boot = makeExtPartition(tools, work, {
    label: 'BOOT',
    isWritten: true,
    bytes: bytesOf('BOOT'),
    epochSeconds,
    uuid: placed.get('BOOT')?.guid ?? '',
    files: {
      [grubFiles.menu]: Buffer.from(genericMenu()),
      [grubFiles.environment]: encodeEnvironmentBlock(choiceEnvironment({ default: slot, once: undefined })),
      ...Object.fromEntries(Object.entries(started).map(([name, content]) => [`${slot}/${name}`, content])),
      [`${slot}/${slotFiles.digests}`]: Buffer.from(digestList(started)),
      [`${slot}/${slotFiles.entry}`]: Buffer.from(
        slotEntry({ slot, tag: buildInfo.tag, commandLine: parts.commandLine }),
      ),
      [`${slot}/${slotFiles.commandLine}`]: Buffer.from(`${parts.commandLine}\n`),
      ...rootOfSlot(slot, { ...parts, line: parts.commandLine }),
      ...inFolder(`${slot}/${extensionsFolder}`, parts.extensions),
    },
  });
  const cache = makeExtPartition(tools, work, {
    label: 'IMAGECACHE',
    bytes: bytesOf('IMAGECACHE'),
    epochSeconds,
    uuid: placed.get('IMAGECACHE')?.guid ?? '',
    files: {
      ...etcdImageCache({ checkout, architecture, epochSeconds, note }),
      ...(hasKubernetes && (await kubernetesImageCache({ workshop, tools, epochSeconds, note }))),
    },
  });
  const efi = makeEfiPartition(tools, work, {
    bytes: bytesOf('EFI'),
    epochSeconds,
    files: {
      [`EFI/BOOT/${efiNames[architecture].program}`]: parts.loader,
      [`${unifiedKernelFolder}/${entryName(slot)}`]: parts.unified,
      [loaderFiles.configuration]: Buffer.from(loaderConfiguration()),
    },
  });
  const grub = architecture === 'amd64' ? makeGrub(tools, work, placed.get('BIOS')?.first ?? 0) : undefined;
  const partitions = { EFI: efi, BOOT: boot, IMAGECACHE: cache };
  writeDiskImage(target, { ...(grub === undefined ? {} : { grub }), partitions, placed: partitionList });
}

const inFolder = (folder: string, files: Readonly<Record<string, Buffer>>) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

const note = (line: string) => void process.stdout.write(`image: ${line}\n`);

/** Builds the image around the root file system that is in `out`. */
async function buildImage(
  checkout: string,
  out: string,
  { kernel, extensionNames, hasKubernetes }: ImageChoice,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture(), kernel };
    const tools = await unpackTools(workshop);
    const keys = keysFolder(checkout);
    const firmwareKey = secureBootKey(keys);
    const squashfs = readFileSync(join(out, 'rootfs.squashfs'));
    const parts = await makeParts(workshop, tools, { squashfs, extensionNames, hasKubernetes }, firmwareKey);
    const files: Readonly<Record<string, Buffer>> = {
      vmlinuz: parts.kernel.image,
      initramfs: parts.kernel.initramfs,
      'rootfs.verity': parts.hashTree,
      'nodewright.efi': parts.unified,
      'systemd-boot.efi': parts.loader,
      'cmdline.txt': Buffer.from(`${parts.commandLine}\n`),
      'secure-boot.crt': firmwareKey.certificate.raw,
      ...inFolder(extensionsFolder, parts.extensions),
    };
    rmSync(join(out, extensionsFolder), { recursive: true, force: true });
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, name), content);
      note(`${megabytes(content.length)}  ${name}`);
    }
    await makeDisk(join(out, 'disk.raw'), workshop, tools, { parts, hasKubernetes });
    note(`disk image ${join(out, 'disk.raw')}`);
    signImage(out, signingKey(keys));
    note(`signed with the keys in ${keys}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Files of an image that do not depend on whether it has Kubernetes. */
const rootFiles = ['rootfs.squashfs', 'contents.json', 'rootfs.spdx.json'];

async function main(checkout: string, hasKubernetes: boolean): Promise<void> {
  const keys = keysFolder(checkout);
  const certificate = trustedCertificates(keys)
    .map(({ fingerprint256 }) => fingerprint256)
    .join();
  const extensionNames = (process.env.EXTENSIONS ?? '').split(/\s+/).filter((name) => name !== '');
  const extensions = await extensionDigests(extensionNames);
  const kernel = kernelNamed(process.env.KERNEL);
  const folderOf = (name: keyof typeof machineImages) => join(checkout, '_out', machineImages[name]);
  const ensure = async (name: keyof typeof machineImages, makeRoot: (folder: string) => Promise<void>) => {
    const folder = folderOf(name);
    const choice = { kernel, extensionNames, hasKubernetes: name === 'kubernetes' };
    const isBuilt = await ensureImage({
      folder,
      key: signingKey(keys),
      inputs: () =>
        imageInputs(checkout, {
          ...{ epochSeconds: commitTime(checkout), certificate },
          ...{ extensions, kernel, hasKubernetes: choice.hasKubernetes },
        }),
      build: async () => {
        await makeRoot(folder);
        await buildImage(checkout, folder, choice);
      },
    });
    if (!isBuilt) note(`${folder} has the image of these sources already`);
  };
  await ensure('plain', () => buildRootfs(checkout, kernel));
  if (!hasKubernetes) return;
  await ensure('kubernetes', async (folder) => {
    mkdirSync(folder, { recursive: true });
    for (const name of rootFiles) copyFileSync(join(folderOf('plain'), name), join(folder, name));
  });
}

if (import.meta.main)
  await runBuild('image', () => main(join(import.meta.dirname, '..'), (process.env.KUBERNETES ?? '') !== ''));
