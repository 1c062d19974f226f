import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInfo } from '@nodewright/contract';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import type { LockedTools } from '../debian/locked-tools.ts';
import { setModes } from '../image/place-files.ts';
import { squashRoot } from '../image/squash-root.ts';
import { verityTree } from '../image/verity-tree.ts';
import { checkExtension, manifestName, rootName } from './extension-files.ts';
import { extensionMetadata } from './extension-manifest.ts';
import { extensionsDocument } from './extensions-document.ts';

/** Their root hashes must fit on the kernel's command line, of 2048 bytes. The init refuses more as well. */
export const maximumExtensions = 16;

export interface BuildExtensionsInit {
  readonly tools: LockedTools;
  /** An existing folder for intermediate files. */
  readonly work: string;
  /** Unix time of every file. */
  readonly epochSeconds: number;
}

export interface BuiltExtensions {
  /** Layers and hash trees, by file name. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Of the hash trees, in the order of the layers. */
  readonly rootHashes: readonly string[];
}

interface Source {
  readonly path: string;
  /** With the manifest and the files. */
  readonly folder: string;
  readonly layer: ExtensionStatusSpec;
}

/**
 * Makes the layers of extensions and their hash trees.
 *
 * @param paths folders or squashfs files, each with a manifest and the files that it adds; later ones replace files of earlier ones
 * @throws Error with one line that names the extension
 */
export function buildExtensions(
  paths: readonly string[],
  { tools, work, epochSeconds }: BuildExtensionsInit,
): BuiltExtensions {
  if (paths.length > maximumExtensions)
    throw new Error(`an image has at most ${maximumExtensions} extensions, not ${paths.length}`);
  const sources = paths.map((path, index) => openSource(path, index, tools, work));
  checkNames(sources);
  const files: Record<string, Buffer> = {};
  const rootHashes = sources.map(({ folder, layer }, index) => {
    const root = join(work, `layer-${index}`);
    cpSync(join(folder, rootName), root, { recursive: true, verbatimSymlinks: true });
    // The uppermost layer says which layers there are. No extension may have a file of that name.
    if (index === sources.length - 1) placeDocument(root, sources);
    setModes(root);
    const target = join(work, layer.image);
    squashRoot({ root, target, tools, epochSeconds });
    const squashfs = readFileSync(target);
    const salt = createHash('sha256').update(squashfs).digest();
    const tree = verityTree(squashfs, { salt, uuid: salt.subarray(0, 16) });
    files[layer.image] = squashfs;
    files[layer.image.replace('.squashfs', '.verity')] = tree.file;
    return tree.rootHash;
  });
  return { files, rootHashes };
}

function openSource(path: string, index: number, tools: LockedTools, work: string): Source {
  try {
    if (!existsSync(path)) throw new Error('does not exist');
    const folder = statSync(path).isDirectory() ? path : unpack(path, join(work, `source-${index}`), tools);
    checkExtension(folder);
    const metadata = extensionMetadata(readFileSync(join(folder, manifestName), 'utf8'), buildInfo.tag);
    return { path, folder, layer: { image: `${index + 1}.squashfs`, metadata } };
  } catch (error) {
    throw new Error(`extension ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Extended attributes are left out: those of overlayfs could hide files of the root. */
function unpack(path: string, folder: string, tools: LockedTools): string {
  try {
    tools.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-no-xattrs', '-dest', folder, path]);
  } catch {
    throw new Error('is neither a folder nor a squashfs that can be unpacked');
  }
  return folder;
}

function checkNames(sources: readonly Source[]): void {
  const seen = new Map<string, string>();
  for (const { path, layer } of sources) {
    const { name } = layer.metadata;
    const other = seen.get(name);
    if (other !== undefined) throw new Error(`extensions ${other} and ${path} have the same name, ${name}`);
    seen.set(name, path);
  }
}

function placeDocument(root: string, sources: readonly Source[]): void {
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/extensions.yaml'), extensionsDocument(sources.map(({ layer }) => layer)));
}
