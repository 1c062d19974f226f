// Engines take in what `docker save` writes; those before version 25 take nothing else. An OCI image layout becomes such an
// archive by one more file at its end that names the parts of each image, so it can be converted while it passes. In either
// the names are others at its end: the engine is not the node's own, and what it has under a name is somebody else's.
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

/** Documents are small; more is a layer. Together they are held in memory. */
const documentLimitBytes = 4 << 20;
const documentsLimitBytes = 32 << 20;

/** Say what is in an archive: what the engine reads is made anew. */
const listNames = new Set(['oci-layout', 'index.json', 'manifest.json', 'repositories']);

export interface ConvertInit {
  readonly archive: AsyncIterable<Uint8Array>;
  /** Chooses among images for several. */
  readonly platform: string;
  /** What the engine is to call an image, by its whole name. */
  tagFor(name: string): string;
}

export interface ConvertedArchive {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** What the images in it are called, once `bytes` has been read. */
  names(): readonly string[];
}

/**
 * The archive as an engine takes it.
 *
 * Reading throws a Fault: `invalid-argument` for what holds no images, `data-loss` for what ends early or is damaged.
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
    // It fails with the output, whose reader is told.
    target?.on('error', () => {});
    const expected = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1];
    const hash = expected === undefined ? undefined : createHash('sha256');
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      hash?.update(piece);
      // Of what is small all of it: what it begins with may come in pieces.
      if (isSmall) pieces.push(piece);
      if (target !== undefined && !target.write(piece)) await drained(target);
    }
    target?.end();
    if (hash !== undefined && hash.digest('hex') !== expected)
      throw new Fault('data-loss', `"${path}" of the archive is not what its name says`);
    const whole = Buffer.concat(pieces);
    if (!isSmall || (whole[0] !== 0x7b && whole[0] !== 0x5b)) continue;
    heldBytes += whole.length;
    if (heldBytes > documentsLimitBytes)
      throw new Fault('invalid-argument', 'the archive has too many documents');
    documents.set(path, whole);
  }
}

/** Resolves when more may be written; fails when nobody reads it any more. */
async function drained(target: NodeJS.WritableStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close', 'error'];
  const goOn = () => resolve();
  for (const event of events) target.on(event, goOn);
  if (!isClosed(target)) await promise;
  for (const event of events) target.off(event, goOn);
  if (isClosed(target)) throw new Fault('cancelled', 'nobody takes the archive any more');
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

/** Without a digest in a name: what `docker save` writes has no manifest that it could be of. */
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
