import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  digestOf,
  formatImageReference,
  mediaTypes,
  parseImageReference,
  parseIndex,
} from '@nodewright/oci';
import type { ArchiveContents, ArchiveFile } from './archive-file.ts';

/** An image with a name in an archive. */
export interface ArchivedImage {
  readonly reference: string;
  /** Its index or manifest. */
  readonly target: Descriptor;
  /** A generated manifest, if the archive has none. */
  readonly madeUp?: Uint8Array;
}

/** Source: OCI image specification, annotations; containerd, names in exported images. */
const nameAnnotations = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

/**
 * The images with names, in the order of the archive.
 *
 * @throws Fault `invalid-argument` when there is none; `data-loss` when the archive contradicts itself
 */
export function imagesInArchive(contents: ArchiveContents): ArchivedImage[] {
  const { documents } = contents;
  const [index, manifest] = [documents.get('index.json'), documents.get('manifest.json')];
  if (index === undefined && manifest === undefined)
    throw new Fault(
      'invalid-argument',
      'the archive is neither an OCI image layout nor what docker save writes: it has no index.json and no manifest.json',
    );
  const images = index === undefined ? [] : imagesOfLayout(index);
  // The output of docker save has both, and the older file has all names.
  const found = images.length > 0 || manifest === undefined ? images : imagesOfDocker(manifest, contents);
  if (found.length === 0) throw new Fault('invalid-argument', 'the archive names no image');
  return found;
}

function imagesOfLayout(index: Uint8Array): ArchivedImage[] {
  return parseIndex(index).manifests.flatMap((target) => {
    const name = nameInLayout(target);
    return name === undefined ? [] : [{ reference: archivedName(name, target.digest), target }];
  });
}

/** The names of an image in a layout. An annotation may contain only a tag, which does not name an image. */
export function nameInLayout({ annotations = {} }: Descriptor): string | undefined {
  return nameAnnotations.map((name) => annotations[name]).find((text) => /[/:@]/.test(text ?? ''));
}

/**
 * The complete name of an image in an archive.
 *
 * @throws Fault `data-loss` for a name with the digest of another image: an archive must not claim a pinned
 * name
 */
export function archivedName(name: string, digest: string | undefined): string {
  const reference = parseImageReference(name);
  if (reference.digest !== undefined && reference.digest !== digest)
    throw new Fault('data-loss', `the archive gives the name "${name}" to content with another digest`);
  return formatImageReference(reference);
}

/** An entry of manifest.json of `docker save`. */
export interface DockerImage {
  readonly Config: string;
  readonly RepoTags: readonly string[];
  readonly Layers: readonly string[];
}

function imagesOfDocker(bytes: Uint8Array, { files }: ArchiveContents): ArchivedImage[] {
  return dockerImagesFrom(bytes).flatMap(({ Config, RepoTags, Layers }) => {
    const fileAt = (path: string) => {
      const file = files.get(path);
      if (file === undefined)
        throw new Fault('data-loss', `the archive lacks "${path}", which its manifest.json names`);
      return file;
    };
    const describe = (mediaType: string, { digest, size }: ArchiveFile) => ({ mediaType, digest, size });
    const madeUp = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: mediaTypes.manifest,
        config: describe(mediaTypes.config, fileAt(Config)),
        layers: Layers.map(fileAt).map((layer) => describe(layerType(layer), layer)),
      }),
    );
    const target = { mediaType: mediaTypes.manifest, digest: digestOf(madeUp), size: madeUp.length };
    return RepoTags.map((tag) => ({
      reference: archivedName(tag, target.digest),
      target,
      madeUp,
    }));
  });
}

/** @throws Fault `data-loss` */
export function dockerImagesFrom(bytes: Uint8Array): DockerImage[] {
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
  try {
    const images = JSON.parse(Buffer.from(bytes).toString()) as DockerImage[];
    const whole = images.map((image) => ({ ...image, RepoTags: image.RepoTags ?? [] }));
    if (
      whole.every(
        ({ Config, RepoTags, Layers }) => typeof Config === 'string' && isTexts(RepoTags) && isTexts(Layers),
      )
    )
      return whole;
  } catch {
    // Reported below.
  }
  throw new Fault('data-loss', 'manifest.json of the archive is not what docker save writes');
}

/** Source: RFC 1952, RFC 8878: how compressed data begin. */
function layerType({ start }: ArchiveFile): string {
  const hex = Buffer.from(start).toString('hex');
  if (hex.startsWith('1f8b')) return mediaTypes.gzipLayer;
  return hex.startsWith('28b52ffd') ? mediaTypes.zstdLayer : mediaTypes.layer;
}
