import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './bill-of-materials.ts';

/** A package of `package-lock.json`. Source: npm, package-lock.json. */
export interface LockedModule {
  readonly version: string;
  /** `sha512-` and a digest in base64. */
  readonly integrity?: string;
  readonly license?: string;
}

/** The packages by their folder below the checkout, as `node_modules/koffi`. */
export type ModuleLock = Readonly<Record<string, LockedModule>>;

export function readModuleLock(checkout: string): ModuleLock {
  const text = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: ModuleLock }).packages;
}

/** Folders with code of this project. */
const ownFolders = /^(?:packages|services|cli|rootfs|tools|proto)\//;

/**
 * The folder of the package that a file of a bundle belongs to, below the checkout; `undefined` for a file of this project.
 *
 * @throws Error that names a file that belongs to neither, which the list of parts would lack
 */
export function moduleFolderOf(file: string, lock: ModuleLock): string | undefined {
  const at = file.indexOf('node_modules/');
  if (at === -1 && ownFolders.test(file)) return undefined;
  const path = at === -1 ? '' : file.slice(at);
  // Packages may be in folders of other packages.
  const folders = [...path.matchAll(/node_modules\/(?:@[^/]+\/)?[^/@][^/]*(?=\/)/g)].map(
    ({ 0: { length }, index }) => path.slice(0, index + length),
  );
  const found = folders.findLast((folder) => lock[folder] !== undefined);
  if (found === undefined || found !== folders.at(-1))
    throw new Error(`${file} belongs to no package of package-lock.json, and to no folder of this project`);
  return found;
}

/**
 * The npm packages in a bundle.
 *
 * @param files of which it was made, below the checkout
 * @throws Error that names a file without a package
 */
export function npmComponents(
  checkout: string,
  { bundle, files }: { readonly bundle: string; readonly files: readonly string[] },
): Component[] {
  const lock = readModuleLock(checkout);
  const folders = new Set(files.flatMap((file) => moduleFolderOf(file, lock) ?? []));
  return [...folders].toSorted().map((folder) => ({
    ...npmComponent(join(checkout, folder), folder, lock),
    partOf: bundle,
  }));
}

/** The component of a package that is installed at `path` and locked as `folder`. */
export function npmComponent(path: string, folder: string, lock: ModuleLock): Component {
  const { version, integrity = '', license } = lock[folder] ?? { version: '' };
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
  const [, digest] = /^sha512-(.+)$/.exec(integrity) ?? [];
  const [, plain = name] = /^@[^/]+\/(.+)$/.exec(name) ?? [];
  return {
    name,
    version,
    supplier: supplierOf(name, manifest),
    url: `https://registry.npmjs.org/${name}/-/${plain}-${version}.tgz`,
    purl: `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`,
    ...(digest === undefined ? {} : { sha512: Buffer.from(digest, 'base64').toString('hex') }),
    ...(license === undefined ? {} : { licence: license }),
  };
}

interface Manifest {
  readonly author?: string | { readonly name?: string };
  readonly repository?: string | { readonly url?: string };
}

/** The author in the manifest, otherwise the owner of its repository, otherwise the scope or name of the package. */
export function supplierOf(name: string, { author, repository }: Manifest): string {
  const text = typeof author === 'string' ? author : author?.name;
  const [person = ''] = text?.split(/[<(\n\r]/) ?? [];
  if (person.trim() !== '') return `Person: ${person.trim()}`;
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const [, owner] = /(?:github\.com[/:]|^(?:github:)?)([\w.-]+)\/[\w.-]+$/.exec(url) ?? [];
  return `Organization: ${owner ?? /^@?([^/]+)/.exec(name)?.[1]}`;
}
