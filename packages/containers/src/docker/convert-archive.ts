// Engines take in what `docker save` writes; those before version 25 take nothing else. An OCI image layout becomes such an
// archive by one more file at its end that names the parts of each image, so it can be converted while it passes.
import { Readable } from 'node:stream';
import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  isIndexType,
  type Platform,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { extract, pack } from 'tar-stream';

/** Documents are small; more is a layer. */
const documentLimitBytes = 4 << 20;

export interface ConvertedArchive {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** What the images in it are called, once `bytes` has been read. */
  names(): string[];
}

interface DockerManifest {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

/**
 * The archive as an engine takes it. `platform` chooses among images for several.
 *
 * Reading throws a Fault: `invalid-argument` for what holds no images, `data-loss` for what ends early or is damaged.
 */
export function convertArchive(archive: AsyncIterable<Uint8Array>, platform: string): ConvertedArchive {
  let names: string[] = [];
  async function* convert(): AsyncGenerator<Uint8Array> {
    const documents = new Map<string, Buffer>();
    const output = pack();
    const copying = copyEntries(archive, output, documents).then(() => {
      const own = documents.get('manifest.json');
      const manifests =
        own === undefined ? manifestsOfLayout(documents, platformFrom(platform)) : readManifests(own);
      names = manifests.flatMap(({ RepoTags }) => RepoTags ?? []);
      if (names.length === 0)
        throw new Fault('invalid-argument', 'the archive holds no image that has a name');
      if (own === undefined) output.entry({ name: 'manifest.json' }, JSON.stringify(manifests));
      output.finalize();
    });
    copying.catch((error: unknown) => output.destroy(error as Error));
    for await (const piece of output) yield piece as Uint8Array;
    await copying;
  }
  return { bytes: convert(), names: () => names };
}

async function copyEntries(
  archive: AsyncIterable<Uint8Array>,
  output: ReturnType<typeof pack>,
  documents: Map<string, Buffer>,
): Promise<void> {
  const input = extract();
  const source = Readable.from(archive);
  source.on('error', (error) => input.destroy(error));
  source.pipe(input);
  try {
    for await (const entry of input) {
      const { header } = entry;
      const name = header.name.replace(/^\.\//, '');
      const pieces: Buffer[] = [];
      const isSmall = (header.size ?? 0) <= documentLimitBytes;
      const target: NodeJS.WritableStream = output.entry({ ...header, name });
      for await (const piece of entry) {
        if (isSmall) pieces.push(piece as Buffer);
        if (!target.write(piece as Buffer)) await drained(target);
      }
      target.end();
      const bytes = Buffer.concat(pieces);
      if (isSmall && (bytes[0] === 0x7b || bytes[0] === 0x5b)) documents.set(name, bytes);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('data-loss', `the archive is damaged, or ends early: ${reason}`, { cause: error });
  }
}

/** Resolves when more may be written, or it makes no sense any more. */
function drained(target: NodeJS.WritableStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const event of ['drain', 'close', 'error']) target.once(event, () => resolve());
  return promise;
}

function manifestsOfLayout(documents: ReadonlyMap<string, Buffer>, platform: Platform): DockerManifest[] {
  const index = documents.get('index.json');
  if (index === undefined)
    throw new Fault(
      'invalid-argument',
      'the archive has neither index.json nor manifest.json: it holds no images',
    );
  return parseIndex(index).manifests.flatMap((descriptor) => {
    const name = nameOf(descriptor);
    const chosen = isIndexType(descriptor.mediaType)
      ? selectManifest(parseIndex(blob(documents, descriptor)).manifests, platform)
      : descriptor;
    if (chosen === undefined) {
      throw new Fault(
        'failed-precondition',
        `image "${name ?? descriptor.digest}" is for other platforms than ${platform.os}/${platform.architecture}`,
      );
    }
    const { config, layers } = parseManifest(blob(documents, chosen));
    return {
      Config: pathOf(config),
      RepoTags: name === undefined ? null : [name],
      Layers: layers.map(pathOf),
    };
  });
}

function readManifests(bytes: Buffer): DockerManifest[] {
  try {
    return JSON.parse(bytes.toString()) as DockerManifest[];
  } catch (error) {
    throw new Fault('data-loss', "the archive's manifest.json is damaged", { cause: error });
  }
}

/** What whoever wrote the layout calls the image: the whole name, or nothing that could be used. */
function nameOf({ annotations = {} }: Descriptor): string | undefined {
  const whole = annotations['io.containerd.image.name'];
  const given = annotations['org.opencontainers.image.ref.name'];
  return whole ?? (given !== undefined && /[/:]/.test(given) ? given : undefined);
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
