// `make rootfs`: builds the root file system of machines as a squashfs, without root.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Architecture, fetchPackage, nativeArchitecture } from '@nodewright/build';
import { readInputs } from '@nodewright/build/bundles';
import { lockedPackage, lockFile, readPackageLock } from '@nodewright/build/debian';
import { trustedCertificates } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import type { LockedTools } from './debian/locked-tools.ts';
import { ensureRootProgram } from './go/ensure-root-program.ts';
import { goComponents, modulesIn } from './go/go-components.ts';
import { rootPrograms } from './go/go-programs.ts';
import { goLicences } from './go/module-licences.ts';
import { type Component, spdxDocument, suppliers } from './image/bill-of-materials.ts';
import { compileDaemons } from './image/compile-daemons.ts';
import { debianComponent } from './image/debian-component.ts';
import {
  debianLicence,
  type LicenceTexts,
  npmLicence,
  npmLicences,
  placeLicences,
} from './image/licence-texts.ts';
import { npmComponent, npmComponents, readModuleLock } from './image/npm-components.ts';
import { partSizes } from './image/part-sizes.ts';
import { checkLinks, type Entry, placeFiles, setModes } from './image/place-files.ts';
import { settingsFiles } from './image/settings-files.ts';
import { squashRoot } from './image/squash-root.ts';
import { stageModules } from './image/stage-modules.ts';
import { stripSymbols } from './image/strip-symbols.ts';
import { hasModule } from './initramfs/kernel-modules.ts';
import { type KernelName, kernelNamed, kernels, watchdogDrivers } from './kernels.ts';
import {
  folders,
  licencePackages,
  linkedPackages,
  linkModules,
  links,
  loaders,
  type Part,
  parts,
  triplets,
} from './recipe.ts';
import {
  bundlesOf,
  commitTime,
  keysFolder,
  megabytes,
  packageCache,
  runBuild,
  tagOf,
  unpackLocked,
  unpackTools,
  type Workshop,
} from './workshop.ts';

/** The bundle that starts a daemon with its compiled code, and is a part of each. */
const starterName = 'start-daemon';
const ownLicence = 'Apache-2.0';

export interface StagedRoot {
  /** The folder with the root file system. */
  readonly root: string;
  readonly entries: readonly Entry[];
  readonly components: readonly Component[];
}

/**
 * Assembles the root file system as a folder.
 *
 * @param chosen the parts to take; by default all
 * @throws Error with one line that says what is missing and what to do
 */
export async function stageRoot(
  workshop: Workshop,
  tools: LockedTools,
  chosen: readonly Part[] = parts,
  note: (line: string) => void = () => {},
): Promise<StagedRoot> {
  const { checkout, work, architecture, kernel = 'cloud' } = workshop;
  const root = join(work, 'root');
  const components: Component[] = [];
  const entries: Entry[] = [];
  const texts: LicenceTexts = new Map();
  const licences = join(work, 'licences');
  for (const id of licencePackages) await unpackLocked(id, licences, { checkout, architecture });
  const sourceOf = async ({ name, source, files, why }: Part): Promise<string> => {
    if (source.kind === 'go') {
      const { program } = source;
      const folder = await ensureRootProgram(program, workshop, note);
      const { module: path, version, package: built } = rootPrograms[program];
      const modules = modulesIn(folder, files);
      components.push(...goComponents({ name, why, program }, modules));
      // The module of a program of our own has the licence of this project.
      const all = built === '.' ? modules : [{ path, version }, ...modules];
      for (const [place, text] of goLicences(program, all, workshop, note)) texts.set(place, text);
      if (rootPrograms[program].usesC) components.push(...linkedComponents(linkedPackages, name, workshop));
      return folder;
    }
    if (source.kind === 'bundle') {
      const folder = join(bundlesOf(workshop), name);
      if (!existsSync(folder)) throw new Error(`${name} is not built: run make build`);
      components.push({
        name,
        version: tagOf(workshop),
        supplier: suppliers.own,
        licence: ownLicence,
        summary: why,
      });
      const files = [...readInputs(checkout, name), ...readInputs(checkout, starterName)];
      components.push(...npmComponents(checkout, { bundle: name, files }));
      for (const [path, text] of npmLicences(checkout, files)) texts.set(path, text);
      return folder;
    }
    if (source.kind === 'npm') {
      const id = source.package(architecture);
      const installed = join(checkout, 'node_modules', id);
      const folder = existsSync(installed) ? installed : fetchPackage(checkout, id, packageCache());
      texts.set(`usr/share/licenses/npm/${id}/LICENSE`, npmLicence(folder) ?? '');
      components.push({
        ...npmComponent(folder, `node_modules/${id}`, readModuleLock(checkout)),
        summary: why,
      });
      return folder;
    }
    const folder = join(work, 'debian', name);
    const id = source.kind === 'kernel' ? kernels[kernel].package[architecture] : name;
    const locked = await unpackLocked(id, folder, { checkout, architecture });
    components.push(debianComponent(id, locked, { summary: why }));
    texts.set(...debianLicence(id, folder, licences));
    if (source.kind === 'debian') return folder;
    const modules = join(work, name);
    const { networkDrivers } = kernels[kernel];
    const drivers = networkDrivers.filter((driver) => hasModule(folder, driver));
    const watchdogs = watchdogDrivers.filter((driver) => hasModule(folder, driver));
    const absent = networkDrivers.filter((driver) => !drivers.includes(driver));
    if (absent.length > 0) note(`the kernel has no network drivers ${absent.join(', ')}`);
    stageModules(
      folder,
      { forContainers: files, others: [...linkModules, ...drivers, ...watchdogs] },
      modules,
    );
    return modules;
  };

  for (const path of folders) mkdirSync(join(root, path), { recursive: true });
  for (const part of chosen) {
    const source = await sourceOf(part);
    const files = part.source.kind === 'kernel' ? ['**'] : part.files;
    const patterns = files.map((path) => path.replaceAll('<triplet>', triplets[architecture]));
    const to = part.to === undefined ? {} : { to: part.to };
    const placed = placeFiles({ part: part.name, source, patterns, ...to }, root);
    const strip = (entry: Entry) => ({ ...entry, bytes: stripSymbols(tools, join(root, entry.path)) });
    entries.push(...(part.isStripped ? placed.map(strip) : placed));
  }
  components.push(...startComponents(workshop));
  for (const id of [
    'linux-libc-dev',
    'systemd-boot-efi',
    ...(architecture === 'amd64' ? ['grub-common'] : []),
  ])
    texts.set(
      `usr/share/doc/${id}/copyright`,
      readFileSync(tools.path(`usr/share/doc/${id}/copyright`), 'utf8'),
    );
  texts.set('usr/share/licenses/nodewright/LICENSE', readFileSync(join(checkout, 'LICENSE'), 'utf8'));
  entries.push(...placeLicences(root, texts, licences));
  entries.push(...placeSettings(root, tagOf(workshop)), ...placeLinks(root, architecture));
  checkLinks(root);
  const starter = join(bundlesOf(workshop), starterName, `${starterName}.cjs`);
  const compiled = compileDaemons({ root, architecture, starter });
  setModes(root);
  const byPath = new Map([...entries, ...compiled].map((entry) => [entry.path, entry]));
  const sorted = [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { root, components, entries: sorted };
}

/** Locked packages of which files are linked or compiled into a program. */
function linkedComponents(
  names: readonly string[],
  into: string,
  { checkout, architecture }: Workshop,
): Component[] {
  const lock = readPackageLock(join(checkout, lockFile));
  return names.map((name) =>
    debianComponent(name, lockedPackage(lock, architecture, name), { summary: `in ${into}`, partOf: into }),
  );
}

/**
 * What is in the image besides the root file system: what starts the kernel, and the init. The init has no C library; it is
 * compiled with the headers of the kernel alone.
 */
function startComponents(workshop: Workshop): Component[] {
  const own = (name: string, summary: string): Component => ({
    ...{ name, summary, version: buildInfo.tag, supplier: suppliers.own, licence: ownLicence },
  });
  return [
    own('init', 'mounts the root file system, and starts machined'),
    ...linkedComponents(['linux-libc-dev'], 'init', workshop),
    own('nodewright.efi', 'kernel, initramfs and command line as one program for UEFI firmware'),
    ...linkedComponents(['systemd-boot-efi'], 'nodewright.efi', workshop),
    own('systemd-boot.efi', 'systemd-boot, for machines whose firmware is UEFI, with our signature'),
    ...linkedComponents(['systemd-boot-efi'], 'systemd-boot.efi', workshop),
    ...(workshop.architecture === 'amd64'
      ? [
          own('boot-loader', 'GRUB, for machines whose firmware is a BIOS'),
          ...linkedComponents(['grub-pc-bin'], 'boot-loader', workshop),
        ]
      : []),
  ];
}

/** Builds `_out/image/rootfs.squashfs` and the lists of what is in it. */
export async function buildRootfs(checkout: string, kernel: KernelName): Promise<void> {
  const note = (line: string) => void process.stdout.write(`rootfs: ${line}\n`);
  const work = mkdtempSync(join(tmpdir(), 'rootfs-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture(), kernel };
    const tools = await unpackTools(workshop);
    const staged = await stageRoot(workshop, tools, parts, note);
    const { root, components } = staged;
    const entries = [...staged.entries, placeCertificate(root, checkout)];
    note('compressing, which takes a minute');
    const out = join(checkout, '_out', 'image');
    const target = join(out, 'rootfs.squashfs');
    const epochSeconds = commitTime(checkout);
    mkdirSync(out, { recursive: true });
    squashRoot({ root, target, tools, epochSeconds });
    const image = readFileSync(target);
    const sha256 = createHash('sha256').update(image).digest('hex');
    const why = new Map(parts.map((part) => [part.name, part.why]));
    const contents = entries.map(({ path, bytes, part }) => ({
      path,
      bytes,
      part,
      why: why.get(part) ?? part,
    }));
    writeFileSync(join(out, 'contents.json'), `${JSON.stringify(contents, undefined, 2)}\n`);
    const identity = { version: buildInfo.tag, sha256, epochSeconds };
    writeFileSync(join(out, 'rootfs.spdx.json'), spdxDocument(components, identity));
    note('   size  compressed (estimated)');
    for (const { part, bytes, compressedBytes } of partSizes(root, entries, image.length)) {
      const reason = why.get(part);
      note(
        `${megabytes(bytes)} ${megabytes(compressedBytes)}  ${part}${reason === undefined ? '' : `: ${reason}`}`,
      );
    }
    note(`${megabytes(image.length)}  ${target}`);
    note(`SHA-256 ${sha256}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The certificates with which machines verify sets of extensions and artefacts of the installer. The image is signed with the key of the
 * first one.
 */
export function placeCertificate(root: string, checkout: string): Entry {
  const path = 'usr/lib/nodewright/extension-sets.pem';
  const text = trustedCertificates(keysFolder(checkout)).join('');
  writeFileSync(join(root, path), text, { mode: 0o644 });
  chmodSync(join(root, path), 0o644);
  return { path, bytes: Buffer.byteLength(text), part: 'certificate for sets of extensions' };
}

function placeSettings(root: string, tag: string): Entry[] {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const certificates = readdirSync(folder)
    .sort()
    .map((name) => `${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`)
    .join('');
  return Object.entries(settingsFiles({ tag }, certificates)).map(([path, text]) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return { path, bytes: Buffer.byteLength(text), part: 'configuration files' };
  });
}

/** Makes the links of the merged /usr, and the one to the loader. */
export function placeLinks(root: string, architecture: Architecture): Entry[] {
  const { folder, name } = loaders[architecture];
  const all = {
    ...links,
    [`${folder}/${name}`]: `${folder === 'usr/lib' ? '' : '../lib/'}${triplets[architecture]}/${name}`,
  };
  return Object.entries(all).map(([path, target]) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    symlinkSync(target, join(root, path));
    return { path, bytes: target.length, part: 'links of the merged /usr' };
  });
}

if (import.meta.main) {
  const build = () => buildRootfs(join(import.meta.dirname, '..'), kernelNamed(process.env.KERNEL));
  await runBuild('rootfs', build);
}
