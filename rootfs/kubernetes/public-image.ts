// A program out of a public image, fetched from its registry without a container engine.
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  type DistributionClient,
  formatImageReference,
  formatPlatform,
  hashOf,
  isIndexType,
  matchesPlatform,
  type Platform,
  parseImageReference,
  parseIndex,
  parseManifest,
} from '@nodewright/oci';
import { extract } from 'tar-stream';

export interface PublicProgram {
  /** Of the image, with a tag. */
  readonly reference: string;
  /** The path of the program in the image, without `/` in front. */
  readonly path: string;
}

export interface FetchProgramInit {
  readonly client: DistributionClient;
  /** The folder of all programs, and of the digests beside them. */
  readonly folder: string;
  readonly platform: Platform;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/** More than the largest program, and less than what fills a disk. */
const mostProgramBytes = 1024 ** 3;
const mostLayerBytes = 2 * 1024 ** 3;
/** Of a layer when it is unpacked; a small one may unpack to any size. */
const mostUnpackedBytes = 4 * 1024 ** 3;
const mostLayers = 128;

/**
 * Returns the path of a program of a public image, which is fetched once. The digest that the tag names at the first time is printed and
 * written beside the program; a later pull must find the same.
 *
 * @throws Fault `not-found` without the image, or the program in it; `data-loss` when the tag names another digest or content was
 * changed on its way; `aborted`, `unavailable` when the registry is not reached or stops sending; `resource-exhausted` above a limit
 */
export async function fetchProgram(program: PublicProgram, init: FetchProgramInit): Promise<string> {
  const { client, folder, platform, note, signal } = init;
  const reference = parseImageReference(program.reference);
  const name = formatImageReference(reference);
  const own = join(folder, name.replaceAll(/[^\w.-]+/g, '_'), formatPlatform(platform).replaceAll('/', '-'));
  const target = join(own, program.path.slice(program.path.lastIndexOf('/') + 1));
  const pin = join(own, 'digest');
  const pinned = (await readFile(pin, 'utf8').catch(() => '')).trim();
  if (pinned !== '' && (await stat(target).catch(() => undefined)) !== undefined) return target;
  const { descriptor, bytes } = await client.resolve(reference, { signal });
  if (pinned !== '' && pinned !== descriptor.digest)
    throw new Fault(
      'data-loss',
      `${name} has the digest ${descriptor.digest} now, and had ${pinned} at its first pull: remove ${pin} if that is right`,
    );
  const manifest = isIndexType(descriptor.mediaType)
    ? (await client.fetchManifest(reference, manifestFor(bytes, platform, name), { signal })).bytes
    : bytes;
  const { layers } = parseManifest(manifest);
  if (layers.length > mostLayers)
    throw new Fault('resource-exhausted', `${name} has more than ${mostLayers} layers`);
  await mkdir(own, { recursive: true });
  const draft = await mkdtemp(join(own, '.draft-'));
  try {
    const found = join(draft, 'program');
    // The highest layer that has the file has the one that counts.
    for (const layer of layers.toReversed()) {
      const blob = join(draft, 'layer');
      await fetchLayer(layer, blob, { client, reference, signal });
      const what = await unpackFile(blob, layer.mediaType, { path: program.path, target: found, signal });
      if (what === 'removed') break;
      if (what === 'absent') continue;
      await chmod(found, 0o755);
      await writeSynced(join(draft, 'digest'), `${descriptor.digest}\n`);
      await rename(found, target);
      // Last: without it the program does not count.
      await rename(join(draft, 'digest'), pin);
      if (pinned === '') note(`first pull of ${name}: ${descriptor.digest}`);
      return target;
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  throw new Fault('not-found', `${name} has no ${program.path}`);
}

function manifestFor(index: Uint8Array, platform: Platform, name: string): Descriptor {
  const found = parseIndex(index).manifests.find(
    (each) => each.platform !== undefined && matchesPlatform(each.platform, platform),
  );
  if (found === undefined)
    throw new Fault('not-found', `${name} has no image for ${formatPlatform(platform)}`);
  return found;
}

async function fetchLayer(
  layer: Descriptor,
  path: string,
  init: Pick<FetchProgramInit, 'client' | 'signal'> & {
    readonly reference: ReturnType<typeof parseImageReference>;
  },
): Promise<void> {
  if (layer.size > mostLayerBytes)
    throw new Fault('resource-exhausted', `the layer ${layer.digest} has ${layer.size} bytes`);
  const hash = hashOf(layer.digest);
  const pieces = init.client.fetchBlob(init.reference, layer, { signal: init.signal });
  async function* hashed() {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  }
  await pipeline(Readable.from(hashed()), createWriteStream(path), { signal: init.signal });
  const digest = `${layer.digest.split(':')[0]}:${hash.digest('hex')}`;
  if (digest !== layer.digest)
    throw new Fault('data-loss', `a layer has the digest ${digest} and not ${layer.digest}`);
}

/** `removed`: the layer says that lower ones do not count. Source: OCI image specification, layer filesystem changeset. */
async function unpackFile(
  layer: string,
  mediaType: string,
  init: { readonly path: string; readonly target: string; readonly signal: AbortSignal },
): Promise<'found' | 'absent' | 'removed'> {
  const { path, target, signal } = init;
  await using file = await open(layer);
  const unpacked = extract();
  const unzip = mediaType.endsWith('gzip')
    ? [createGunzip()]
    : mediaType.endsWith('zstd')
      ? [createZstdDecompress()]
      : [];
  let total = 0;
  async function* limited(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      total += piece.length;
      if (total > mostUnpackedBytes)
        throw new Fault('resource-exhausted', `a layer unpacks to more than ${mostUnpackedBytes} bytes`);
      yield piece;
    }
  }
  const reading = pipeline([file.createReadStream({ autoClose: false }), ...unzip, limited, unpacked], {
    signal,
  });
  reading.catch(() => {});
  const whiteouts = whiteoutsOf(path);
  let result: 'found' | 'absent' | 'removed' = 'absent';
  for await (const entry of unpacked) {
    const name = entry.header.name.replace(/^\.?\//, '');
    if (name === path && entry.header.type === 'file') {
      if ((entry.header.size ?? 0) > mostProgramBytes)
        throw new Fault('resource-exhausted', `${path} has ${entry.header.size} bytes`);
      await pipeline(entry, createWriteStream(target, { flush: true }), { signal });
      result = 'found';
      continue;
    }
    if (result === 'absent' && whiteouts.has(name)) result = 'removed';
    entry.resume();
  }
  await reading;
  return result;
}

/** The names by which a layer removes the file, or a folder above it. */
function whiteoutsOf(path: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = path; at !== '.'; at = dirname(at)) {
    names.add(join(dirname(at), `.wh.${at.slice(at.lastIndexOf('/') + 1)}`));
    names.add(join(dirname(at), '.wh..wh..opq'));
  }
  return names;
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(text);
  await file.sync();
}
