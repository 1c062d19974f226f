import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInfo } from '@nodewright/contract';
import { verityTree } from '@nodewright/disk';
import {
  checkExtension,
  type ExtensionMetadata,
  findSource,
  openSource,
  placeExtension,
} from '@nodewright/extensions';
import { openDistributionClient } from '@nodewright/oci';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import type { LockedTools } from '../debian/locked-tools.ts';
import { setModes } from '../image/place-files.ts';
import { squashRoot } from '../image/squash-root.ts';
import { extensionsDocument } from './extensions-document.ts';
import { type BaseModules, makeIndexLayer } from './index-layer.ts';

/** Their root hashes must fit on the kernel's command line, of 2048 bytes. The init refuses more as well. */
export const maximumExtensions = 16;

export interface BuildExtensionsInit {
  readonly tools: LockedTools;
  /** An existing folder for intermediate files. */
  readonly work: string;
  /** Unix time of every file. */
  readonly epochSeconds: number;
  /** The kernel modules of the image, which those of extensions are added to. */
  readonly modules: BaseModules;
}

export interface BuiltExtensions {
  /** Layers and hash trees, by file name. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Of the hash trees, in the order of the layers. */
  readonly rootHashes: readonly string[];
}

/** The files of an extension, or the index of the kernel modules of all of them. */
export interface PlacedLayer {
  /** A folder. */
  readonly root: string;
  readonly metadata: ExtensionMetadata;
}

/**
 * Makes the layers of extensions and their hash trees. All of them are checked before anything of one is unpacked.
 *
 * @param names paths of folders, squashfs files, and OCI layouts as folders or archives; or images of registries. Later ones
 * replace files of earlier ones
 * @throws Error with one line that names the extension
 */
export async function buildExtensions(
  names: readonly string[],
  { tools, work, epochSeconds, modules }: BuildExtensionsInit,
): Promise<BuiltExtensions> {
  const layers = await placeLayers(names, { tools, work, epochSeconds, modules });
  const described = describeLayers(layers);
  const files: Record<string, Buffer> = {};
  const rootHashes = layers.map(({ root }, at) => {
    const image = `${at + 1}.squashfs`;
    // The uppermost layer says which layers there are. No extension may have a file of that name.
    if (at === layers.length - 1) placeDocument(root, described);
    setModes(root);
    const target = join(work, image);
    squashRoot({ root, target, tools, epochSeconds });
    const squashfs = readFileSync(target);
    const salt = createHash('sha256').update(squashfs).digest();
    const tree = verityTree(squashfs, { salt, uuid: salt.subarray(0, 16) });
    files[image] = squashfs;
    files[image.replace('.squashfs', '.verity')] = tree.file;
    return tree.rootHash;
  });
  return { files, rootHashes };
}

/**
 * Places the files of extensions in folders, from the lowest to the uppermost, with the index of their kernel modules as the
 * last one. All of them are checked before anything of one is unpacked.
 *
 * @throws Error with one line that names the extension
 */
export async function placeLayers(
  names: readonly string[],
  { tools, work, modules }: BuildExtensionsInit,
): Promise<PlacedLayer[]> {
  const layers = await placeAll(names, tools, work);
  const index = makeIndexLayer(
    layers.map(({ root }) => root),
    { ...{ tools, work }, base: modules },
  );
  if (index !== undefined) layers.push(index);
  if (layers.length > maximumExtensions)
    throw new Error(
      `an image has at most ${maximumExtensions} layers of extensions with the index of modules, not ${layers.length}`,
    );
  return layers;
}

/** What `/etc/extensions.yaml` says about the layers. */
export const describeLayers = (layers: readonly PlacedLayer[]): ExtensionStatusSpec[] =>
  layers.map(({ metadata }, at) => ({ image: `${at + 1}.squashfs`, metadata }));

/** Checks all extensions, and then places the root of each one in a folder of its own. */
async function placeAll(names: readonly string[], tools: LockedTools, work: string): Promise<PlacedLayer[]> {
  if (names.length > maximumExtensions)
    throw new Error(`an image has at most ${maximumExtensions} extensions, not ${names.length}`);
  await using scope = new AsyncDisposableStack();
  const registry = scope.use(openDistributionClient({ telemetry: noTelemetry }));
  const init = {
    registry,
    tools: { unsquashfs: (args: readonly string[]) => tools.run('usr/bin/unsquashfs', args) },
    platform: { os: 'linux', architecture: tools.architecture },
    work,
  };
  const version = buildInfo.tag;
  const sources = [];
  const seen = new Map<string, string>();
  for (const name of names) {
    const checked = await named(name, async () => {
      const source = scope.use(openSource(await findSource(name), init));
      return { source, ...(await checkExtension(source, version)) };
    });
    const other = seen.get(checked.metadata.name);
    if (other !== undefined)
      throw new Error(`extensions ${other} and ${name} have the same name, ${checked.metadata.name}`);
    seen.set(checked.metadata.name, name);
    sources.push({ name, ...checked });
  }
  const layers: PlacedLayer[] = [];
  for (const { name, source, metadata } of sources) {
    const root = join(work, `layer-${layers.length}`);
    await named(name, () => placeExtension(source, version, root));
    layers.push({ root, metadata });
  }
  return layers;
}

async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`extension ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes `/etc/extensions.yaml` of a layer. */
export function placeDocument(root: string, layers: readonly ExtensionStatusSpec[]): void {
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/extensions.yaml'), extensionsDocument(layers));
}
