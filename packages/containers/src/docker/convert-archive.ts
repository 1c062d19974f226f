// Engines import the output of `docker save`; those before version 25 import nothing else. An OCI image
// layout becomes such an archive by one more file at its end, which names the parts of each image. So it can
// be converted as a stream. Both formats get other names for their images, because the engine is shared: an
// existing name belongs to another user of the engine.
import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  isIndexType,
  type Platform,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { type Pack, pack } from 'tar-stream';
import {
  archivedName,
  type DockerImage,
  dockerImagesFrom,
  nameInLayout,
} from '../oci-layout/images-in-archive.ts';
import { tarEntries } from '../oci-layout/tar-entries.ts';

/** Documents are small; larger files are layers. All documents together are held in memory. */
const documentLimitBytes = 4 << 20;
const documentsLimitBytes = 32 << 20;

/** These files describe the archive; the engine receives new ones. */
const listNames = new Set(['oci-layout', 'index.json', 'manifest.json', 'repositories']);

export interface ConvertInit {
  readonly archive: AsyncIterable<Uint8Array>;
  /** Selects an image from an index of several platforms. */
  readonly platform: string;
  /** The name for an image in the engine, by its complete name. */
  tagFor(name: string): string;
}

export interface ConvertedArchive {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The names of the images, once `bytes` has been read. */
  names(): readonly string[];
}

/**
 * The archive in a form that every engine imports. Reading it throws a Fault: `invalid-argument` when it
 * contains no images, `data-loss` when it is truncated or damaged.
 */
export function convertArchive({ archive, platform, tagFor }: ConvertInit): ConvertedArchive {
  let names: string[] = [];
  async function* convert(): AsyncGenerator<Uint8Array> {
    const documents = new Map<string, Buffer>();
    const output = pack();
    const left = new AbortController();
    const copying = copyEntries(tarEntries(archive, left.signal), output, documents).then(() => {
      const own = documents.get('manifest.json');
      const all = own === undefined ? imagesOfLayout(documents, platformFrom(platform)) : imagesOfDocker(own);
      const images = all.filter(({ RepoTags }) => RepoTags.length > 0);
      names = images.flatMap(({ RepoTags }) => RepoTags);
      if (names.length === 0)
        throw new Fault('invalid-argument', 'the archive holds no image that has a name');
      const renamed = images.map((image) => ({ ...image, RepoTags: image.RepoTags.map(tagFor) }));
      output.entry({ name: 'manifest.json' }, JSON.stringify(renamed));
      output.finalize();
    });
    copying.catch((error: unknown) => output.destroy(error as Error));
    try {
      for await (const piece of output) yield piece as Uint8Array;
      await copying;
    } finally {
      left.abort();
    }
  }
  return { bytes: convert(), names: () => names };
}

async function copyEntries(
  entries: ReturnType<typeof tarEntries>,
  output: Pack,
  documents: Map<string, Buffer>,
): Promise<void> {
  let heldBytes = 0;
  for await (const { header, path, bytes } of entries) {
    const isSmall = (header.size ?? 0) <= documentLimitBytes;
    const target: NodeJS.WritableStream | undefined = listNames.has(path)
      ? undefined
      : output.entry({ ...header, name: path, pax: null });
    // It fails together with the output, whose reader receives the error.
    target?.on('error', () => {});
    const expected = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1];
    const hash = expected === undefined ? undefined : createHash('sha256');
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      hash?.update(piece);
      // Small files are read completely, because their first bytes may arrive in pieces.
      if (isSmall) pieces.push(piece);
      if (target !== undefined && !target.write(piece)) await drained(target);
    }
    target?.end();
    if (hash !== undefined && hash.digest('hex') !== expected)
      throw new Fault('data-loss', `the content of "${path}" in the archive does not match its name`);
    const whole = Buffer.concat(pieces);
    if (!isSmall || (whole[0] !== 0x7b && whole[0] !== 0x5b)) continue;
    heldBytes += whole.length;
    if (heldBytes > documentsLimitBytes)
      throw new Fault('invalid-argument', 'the archive has too many documents');
    documents.set(path, whole);
  }
}

/** Resolves when the output accepts more; fails when its reader is gone. */
async function drained(target: NodeJS.WritableStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close', 'error'];
  const goOn = () => resolve();
  for (const event of events) target.on(event, goOn);
  if (!isClosed(target)) await promise;
  for (const event of events) target.off(event, goOn);
  if (isClosed(target)) throw new Fault('cancelled', 'the reader of the archive is gone');
}

function isClosed(target: NodeJS.WritableStream): boolean {
  return (target as { destroyed?: boolean }).destroyed === true;
}

function imagesOfLayout(documents: ReadonlyMap<string, Buffer>, platform: Platform): DockerImage[] {
  const index = documents.get('index.json');
  if (index === undefined)
    throw new Fault(
      'invalid-argument',
      'the archive has neither index.json nor manifest.json: it holds no images',
    );
  return parseIndex(index).manifests.flatMap((descriptor) => {
    const name = nameInLayout(descriptor);
    if (name === undefined) return [];
    const chosen = isIndexType(descriptor.mediaType)
      ? selectManifest(parseIndex(blob(documents, descriptor)).manifests, platform)
      : descriptor;
    if (chosen === undefined) {
      throw new Fault(
        'failed-precondition',
        `image "${name}" is for other platforms than ${platform.os}/${platform.architecture}`,
      );
    }
    const { config, layers } = parseManifest(blob(documents, chosen));
    const RepoTags = [archivedName(name, descriptor.digest)];
    return { Config: pathOf(config), RepoTags, Layers: layers.map(pathOf) };
  });
}

/**
 * Names without a digest only, because the output of `docker save` has no manifest that a digest could match.
 */
function imagesOfDocker(manifest: Buffer): DockerImage[] {
  return dockerImagesFrom(manifest).map(({ Config, RepoTags, Layers }) => ({
    Config,
    RepoTags: RepoTags.map((name) => archivedName(name, undefined)),
    Layers,
  }));
}

function blob(documents: ReadonlyMap<string, Buffer>, descriptor: Descriptor): Buffer {
  const bytes = documents.get(pathOf(descriptor));
  if (bytes === undefined) throw new Fault('data-loss', `the archive lacks ${descriptor.digest}`);
  return bytes;
}

function pathOf({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function platformFrom(text: string): Platform {
  const [os = '', architecture = ''] = text.split('/');
  return { os, architecture };
}
