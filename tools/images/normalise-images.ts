import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Architecture } from '@nodewright/build';
import { readTar, withTimes, writeTar } from '@nodewright/build/archives';

interface ManifestEntry {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

/**
 * The used parts of an image's configuration. The build steps in it are dropped, because builders describe
 * them differently.
 */
interface ImageConfig {
  readonly os: string;
  readonly config: Record<string, unknown>;
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
}

export interface NormalisedImages {
  /** The archive for `docker load`, in pieces. */
  readonly archive: readonly Buffer[];
  readonly images: readonly { readonly name: string; readonly id: string }[];
}

export interface NormaliseRequest {
  /** The archive that `docker save` wrote. */
  readonly saved: Buffer;
  /** The architecture that the images were built for. The old builder records its own machine's instead. */
  readonly architecture: Architecture;
  /** Modification time of every file, and creation time of the images. */
  readonly epochSeconds: number;
  /** Final name of each image, by the name under which it was saved. */
  readonly names: ReadonlyMap<string, string>;
}

/** Labels with which a builder describes the build itself. */
const buildTraces = ['Image', 'Hostname', 'Domainname'];
const unsaid = new Set<unknown>([null, false, '']);

/**
 * Removes the time and place of the build from saved images, so that the same inputs give the same ids on
 * every machine and with every builder.
 */
export function normaliseImages({
  saved,
  architecture,
  epochSeconds,
  names,
}: NormaliseRequest): NormalisedImages {
  const read = archiveReader(saved);
  const created = new Date(epochSeconds * 1000).toISOString();
  const layers = new Map<string, { path: string; diffId: string }>();
  const files = new Map<string, readonly Buffer[]>();
  const images: { name: string; id: string }[] = [];

  const takeLayer = (path: string, diffId: string) => {
    const known = layers.get(diffId);
    if (known !== undefined) return known;
    const raw = read(path);
    const content = raw.readUInt16BE(0) === 0x1f8b ? gunzipSync(raw) : raw;
    const pieces = withTimes(content, epochSeconds);
    const sum = sha256(pieces);
    const layer = { path: `${sum}/layer.tar`, diffId: `sha256:${sum}` };
    layers.set(diffId, layer);
    files.set(layer.path, pieces);
    return layer;
  };

  const manifest = (JSON.parse(read('manifest.json').toString()) as ManifestEntry[]).map((entry) => {
    const image = JSON.parse(read(entry.Config).toString()) as ImageConfig;
    const own = entry.Layers.map((path, index) => takeLayer(path, image.rootfs.diff_ids[index] ?? ''));
    const config = Buffer.from(
      JSON.stringify({
        architecture,
        os: image.os,
        created,
        config: normaliseSettings(image.config),
        rootfs: { type: 'layers', diff_ids: own.map(({ diffId }) => diffId) },
      }),
    );
    const sum = sha256([config]);
    const name = entry.RepoTags?.map((tag) => names.get(tag)).find((known) => known !== undefined) ?? '';
    files.set(`${sum}.json`, [config]);
    images.push({ name, id: `sha256:${sum}` });
    return { Config: `${sum}.json`, RepoTags: [name], Layers: own.map(({ path }) => path) };
  });
  files.set('manifest.json', [Buffer.from(JSON.stringify(manifest))]);
  return { archive: writeTar(files), images };
}

/** Compose labels the images that it builds with the name of its project. */
const isBuildLabel = (name: string) => name.startsWith('com.docker.compose.');

/**
 * The runtime configuration of the image, with a fixed order of keys and without fields that only one builder
 * writes.
 */
function normaliseSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const said = Object.entries(settings).filter(
    ([name, value]) =>
      !buildTraces.includes(name) && !unsaid.has(value) && !(name === 'WorkingDir' && value === '/'),
  );
  const settled = said.map(([name, value]) => [name, name === 'Labels' ? ownLabels(value) : value] as const);
  return Object.fromEntries(settled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function ownLabels(labels: unknown): Record<string, unknown> {
  const own = Object.entries(labels as Record<string, unknown>).filter(([name]) => !isBuildLabel(name));
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function archiveReader(saved: Buffer): (path: string) => Buffer {
  const entries = new Map([...readTar(saved)].map((entry) => [entry.name, entry]));
  return (path) => {
    const entry = entries.get(path);
    if (entry === undefined) throw new Error(`the engine saved an image without ${path}`);
    // A layer that several images share is in the archive once; the other places are links to it.
    if (entry.type !== '2') return entry.data;
    const target = new URL(entry.linkName, `file:///${path}`).pathname.slice(1);
    const linked = entries.get(target);
    if (linked === undefined) throw new Error(`the engine saved an image without ${target}`);
    return linked.data;
  };
}

function sha256(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
