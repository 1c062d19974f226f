import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import type { Descriptor } from '../descriptor.ts';
import { verifyDigest } from '../digest.ts';
import { parseIndex, parseManifest } from '../image-documents.ts';
import { manifestLimitBytes } from '../manifest-limit.ts';
import { isIndexType, mediaTypes } from '../media-types.ts';
import type { CacheFiles } from './cache-files.ts';
import { layoutBlob, layoutIndex } from './oci-layout.ts';
import {
  openStoredFile,
  readStored,
  type StoredFile,
  storedIdentity,
  undefinedIfMissing,
} from './stored-file.ts';
import { tarEntries } from './tar-entries.ts';

/** A file in a layer. */
interface PackedFile {
  /** The file of the layer, below the root. */
  readonly layer: string;
  readonly start: number;
  readonly size: number;
  /** Of the layer when it was read. A layer that has changed is read again. */
  readonly identity: string;
  readonly lastUsedMs: number;
}

interface Contents {
  readonly identity: string;
  readonly files: ReadonlyMap<string, PackedFile>;
}

/**
 * The files of a cache that is an OCI layout. The headers of its layers are read once, at the first access and again after a change of its
 * index; the files themselves stay in the layers.
 *
 * @throws Fault `data-loss` at each access, for a layout that is damaged or has compressed layers: a file within such a layer could only be
 * found by unpacking everything before it
 */
export function openPackedFiles(root: string): CacheFiles {
  let reading: { readonly identity: string; readonly contents: Promise<Contents> } | undefined;

  /** Undefined when the layout has no index. */
  async function contents(): Promise<Contents | undefined> {
    const last = reading;
    if (last !== undefined && (await storedIdentity(join(root, layoutIndex))) === last.identity)
      return last.contents;
    await using index = await openStoredFile(join(root, layoutIndex));
    if (index === undefined) return undefined;
    const { identity } = index;
    if (reading?.identity !== identity) {
      const found = readLayout(root, await readDocument(index, layoutIndex), identity);
      reading = { identity, contents: found };
      found.catch(() => {
        reading = undefined;
      });
    }
    return reading?.contents;
  }

  return {
    async open(path) {
      const packed = (await contents())?.files.get(path);
      if (packed === undefined) return undefined;
      const layer = await openStoredFile(join(root, packed.layer)).catch(undefinedIfMissing);
      if (layer === undefined) return undefined;
      if (layer.identity === packed.identity) {
        const { start, size } = packed;
        return { ...layer, start, size, identity: partIdentity(packed) };
      }
      reading = undefined;
      await layer[Symbol.asyncDispose]();
      throw new Fault('data-loss', `the layer "${packed.layer}" has changed while it was used: try again`);
    },
    async identityOf(path) {
      const packed = (await contents())?.files.get(path);
      if (packed === undefined) return undefined;
      const isSame = (await storedIdentity(join(root, packed.layer))) === packed.identity;
      return isSame ? partIdentity(packed) : undefined;
    },
    async names(folder) {
      const prefix = `${folder}/`;
      const below = [...((await contents())?.files.keys() ?? [])].filter((path) => path.startsWith(prefix));
      return [...new Set(below.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))];
    },
    async *below(folder) {
      for (const [path, { size, lastUsedMs }] of (await contents())?.files ?? [])
        if (path.startsWith(`${folder}/`)) yield { path, bytes: size, lastUsedMs };
    },
  };
}

const partIdentity = ({ identity, start }: PackedFile) => `${identity}:${start}`;

async function readLayout(root: string, index: Buffer, identity: string): Promise<Contents> {
  const files = new Map<string, PackedFile>();
  for (const { digest, mediaType } of parseIndex(index).manifests) {
    if (isIndexType(mediaType)) continue;
    const path = layoutBlob(digest);
    await using stored = await openStoredFile(join(root, path));
    if (stored === undefined) throw new Fault('data-loss', `the image layout "${root}" lacks "${path}"`);
    const manifest = await readDocument(stored, path);
    verifyDigest(manifest, digest, `the manifest "${path}" of the image layout "${root}"`);
    for (const layer of parseManifest(manifest).layers) await readLayer(root, layer, files);
  }
  return { identity, files };
}

/** A later layer replaces files of an earlier one. */
async function readLayer(
  root: string,
  { digest, mediaType }: Descriptor,
  files: Map<string, PackedFile>,
): Promise<void> {
  const path = layoutBlob(digest);
  if (mediaType !== mediaTypes.layer)
    throw new Fault(
      'data-loss',
      `the image layout "${root}" has a layer of the type ${mediaType}: only tar archives that are not compressed can be read in place, so unpack the image into a folder`,
    );
  await using layer = await openStoredFile(join(root, path));
  if (layer === undefined) throw new Fault('data-loss', `the image layout "${root}" lacks "${path}"`);
  const { handle, size: archiveBytes, identity } = layer;
  const lastUsedMs = (await handle.stat()).mtimeMs;
  for await (const { name, start, size } of tarEntries(handle, archiveBytes))
    files.set(name.replace(/^\.\//, ''), { layer: path, start, size, identity, lastUsedMs });
}

async function readDocument(file: StoredFile, name: string): Promise<Buffer> {
  if (file.size > manifestLimitBytes)
    throw new Fault('data-loss', `"${name}" of an image layout is larger than ${manifestLimitBytes} bytes`);
  return readStored(file);
}
