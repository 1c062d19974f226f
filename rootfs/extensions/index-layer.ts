import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type ExtensionMetadata, indexLayerName } from '@nodewright/extensions';
import type { LockedTools } from '../debian/locked-tools.ts';
import { dependenciesOf, plainName } from '../initramfs/kernel-modules.ts';

/** The kernel of an image and its modules. */
export interface BaseModules {
  /** Of the kernel: `6.12.57+deb13-cloud-amd64`. */
  readonly release: string;
  /** Writes `usr/lib/modules` of the root below the folder. Called only when an extension has modules. */
  readonly place: (folder: string) => void;
}

export interface IndexLayerInit {
  readonly tools: LockedTools;
  readonly work: string;
  readonly base: BaseModules;
}

const modulesFolder = 'usr/lib/modules';
/** Written by the maker of the kernel, not by depmod. */
const ofKernel = ['modules.builtin', 'modules.order', 'modules.builtin.modinfo'];
/** Source: Linux, module signing. */
const signatureMark = '~Module signature appended~\n';
const maximumModuleBytes = 1 << 26;

/**
 * The layer with the index of all kernel modules, of the root and of all extensions; undefined when no extension has modules.
 * Source: Talos v1.14: extensions, from image to boot.
 *
 * @param roots of the extensions
 * @throws Error that names a module that this kernel would not load
 */
export function makeIndexLayer(
  roots: readonly string[],
  { tools, work, base }: IndexLayerInit,
): { readonly root: string; readonly metadata: ExtensionMetadata } | undefined {
  const added = roots.flatMap((root) => modulesOf(root, base.release));
  if (added.length === 0) return undefined;
  const all = mkdtempSync(join(work, 'modules-'));
  base.place(all);
  const folder = join(modulesFolder, base.release);
  const known = new Set(
    [...modulesIn(all, base.release), ...builtInModules(join(all, folder))].map(moduleName),
  );
  for (const { path } of added) known.add(moduleName(path));
  for (const { root, path } of added) checkModule(join(root, path), path, known);
  const ownFiles = ofKernel.map((name) => [name, readIfThere(join(all, folder, name))] as const);
  for (const root of roots)
    if (existsSync(join(root, folder))) cpSync(join(root, folder), join(all, folder), { recursive: true });
  // An extension may have an index of its own, which must not take the place of that of the kernel.
  for (const [name, content] of ownFiles) {
    rmSync(join(all, folder, name), { force: true });
    if (content !== undefined) writeFileSync(join(all, folder, name), content);
  }
  tools.run('usr/sbin/depmod', ['--basedir', all, '--moduledir', `/${modulesFolder}`, base.release]);
  const root = mkdtempSync(join(work, 'index-layer-'));
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of globSync('modules.*', { cwd: join(all, folder) }))
    cpSync(join(all, folder, name), join(root, folder, name));
  return { root, metadata: indexMetadata(base.release) };
}

const indexMetadata = (release: string): ExtensionMetadata => ({
  name: indexLayerName,
  version: release,
  author: '',
  description: 'Index of the kernel modules of the system and of its extensions.',
  compatibility: { talos: { version: '' } },
  extraInfo: '',
});

interface AddedModule {
  readonly root: string;
  readonly path: string;
}

function modulesOf(root: string, release: string): AddedModule[] {
  const other = globSync(`${modulesFolder}/*`, { cwd: root }).find((path) => basename(path) !== release);
  if (other !== undefined)
    throw new Error(`/${other} is for another kernel: the kernel of this image is ${release}`);
  return modulesIn(root, release).map((path) => ({ root, path }));
}

const modulesIn = (root: string, release: string) =>
  globSync(`${modulesFolder}/${release}/**/*.{ko,ko.*}`, { cwd: root }).sort();

const builtInModules = (folder: string) =>
  (readIfThere(join(folder, 'modules.builtin'))?.toString() ?? '').split('\n');

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path) : undefined);

const moduleName = (path: string) => plainName(basename(path).replace(/\.ko(?:\..*)?$/, ''));

/** Checks what the kernel would only say on the machine. Whether it trusts the key of the signature is for it to decide. */
function checkModule(file: string, path: string, known: ReadonlySet<string>): void {
  const [, compression] = /\.ko(?:\.(.*))?$/.exec(path) ?? [];
  if (compression !== undefined && compression !== 'xz')
    throw new Error(`/${path} is compressed with ${compression}, and this kernel reads modules with xz only`);
  const content =
    compression === undefined
      ? readFileSync(file)
      : execFileSync('xz', ['-dc', file], {
          maxBuffer: maximumModuleBytes,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
  if (content.toString('latin1', content.length - signatureMark.length) !== signatureMark)
    throw new Error(`/${path} has no signature, and this kernel loads signed modules only`);
  const missing = dependenciesOf(content).find((name) => !known.has(plainName(name)));
  if (missing !== undefined)
    throw new Error(`/${path} needs the module ${missing}, which neither the image nor an extension has`);
}
