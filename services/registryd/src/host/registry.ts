import { Fault, faultFrom } from '@nodewright/fault';
import {
  type DistributionClient,
  type EndpointsOf,
  formatImageReference,
  type ImageReference,
  openDistributionClient,
  ownEndpoints,
  registryEndpoints,
} from '@nodewright/oci';
import {
  type CacheFiles,
  type ImageFolder,
  openCacheFiles,
  openImageFolder,
  VerifiedFiles,
} from '@nodewright/oci/cache';
import { LocalImages } from '@nodewright/oci/serve';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import {
  type CacheContents,
  type CachedImage,
  type CacheSummary,
  imagesOf,
  summaryOf,
} from '../domain/cache-contents.ts';
import { type OwnAddress, withoutOwnEndpoint } from '../domain/own-endpoint.ts';
import { type Upstream, UpstreamRecords } from '../domain/upstream-records.ts';
import { openCacheStore } from './cache-store.ts';
import { Collector } from './collector.ts';
import { Downloads } from './downloads.ts';
import { Leases } from './leases.ts';
import { type NodeSettings, noSettings } from './node-settings.ts';
import { PullThrough } from './pull-through.ts';
import { scanCache } from './scan-cache.ts';

export interface RegistryInit {
  readonly cacheFolder: string;
  readonly limitBytes: number;
  /** Where registryd listens, which is known later. */
  readonly own: () => OwnAddress;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Aborts when the daemon stops, and ends the downloads. */
  readonly signal: AbortSignal;
}

/** What was done since the start. */
export interface RegistryCounts {
  servedBytes: number;
  downloadedBytes: number;
  lastError: string;
}

/** The images of the node, and what fills and empties the folder of those that were pulled. */
export interface Registry {
  readonly source: PullThrough;
  readonly images: LocalImages;
  readonly downloads: Downloads;
  readonly collector: Collector;
  readonly leases: Leases;
  readonly counts: RegistryCounts;
  /** Folders of images that are only read. */
  roots(): readonly string[];
  /** Adopts settings from the next request on. */
  adopt(settings: NodeSettings): void;
  isUsed(image: CachedImage): boolean;
  /** What all folders hold. */
  summary(): Promise<CacheSummary>;
  /** How the registries answered. */
  upstreams(): Upstream[];
  /** The images of all folders. */
  list(): Promise<{ readonly root: string; readonly image: CachedImage }[]>;
  /**
   * Removes a tag or an image.
   *
   * @returns the freed bytes
   * @throws Fault `not-found`, or `failed-precondition` when it is in use or on media that are only read
   */
  remove(reference: ImageReference): Promise<number>;
}

/** A folder of images that are only read, in either layout. */
interface Root {
  readonly root: string;
  readonly files: CacheFiles;
  readonly folder: ImageFolder;
}

const notKnown = 'the node has not said yet whether it has an image cache';
const disabled = 'the configuration of the node does not enable the image cache';

/** Opens the images of a node. Its connections end with `scope`. */
export async function openRegistry(init: RegistryInit, scope: AsyncDisposableStack): Promise<Registry> {
  const { cacheFolder, limitBytes, own, telemetry, log, signal } = init;
  let settings = noSettings;
  /** Until the node has said which images it uses, it may use each of them. */
  let hasSettings = false;
  /** Folders that are only read. */
  let roots: readonly Root[] = [];
  const verified = new VerifiedFiles();
  const leases = new Leases();
  const counts: RegistryCounts = { servedBytes: 0, downloadedBytes: 0, lastError: '' };
  const store = await openCacheStore(cacheFolder, verified);
  const given = new LocalImages(() => roots.map(({ folder }) => folder));
  const images = new LocalImages(() => [...roots.map(({ folder }) => folder), store.folder]);
  const isUsed = (image: CachedImage) => settings.usedImages.some((used) => names(used, image));
  const collector = new Collector({
    ...{ store, leases, limitBytes, now: Date.now },
    isUsed: (image) => !hasSettings || isUsed(image),
  });
  const upstreams = new UpstreamRecords();
  const endpointsOf = (registry: string) => {
    // There is no registry with the name of those without a mirror.
    const ownOf: EndpointsOf = (host) => (host === '*' ? [] : ownEndpoints(host));
    return registryEndpoints(withoutOwnEndpoint(settings.registries, own()), ownOf)(registry);
  };
  const client: DistributionClient = scope.use(
    openDistributionClient({
      ...{ telemetry, endpointsOf },
      onOutcome: (registry, { url }, fault) => upstreams.record(registry, url, fault?.message, Date.now()),
    }),
  );
  const downloads = new Downloads({
    ...{ store, collector, leases, signal },
    openBlob: (reference, offset, blobSignal) =>
      client.openBlob(reference, reference.digest, { offset, signal: blobSignal }),
    onWritten: (bytes) => {
      counts.downloadedBytes += bytes;
    },
    onFailed: (reference, { kind, message }) => {
      counts.lastError = message;
      log.error({ image: formatImageReference(reference), kind, error: message }, 'download failed');
    },
  });
  scope.defer(() => downloads.ended());
  const source = new PullThrough({
    ...{ given, images, store, downloads, leases, client, log },
    refusal: () => (hasSettings ? (settings.isEnabled ? undefined : disabled) : notKnown),
    nowMs: () => performance.now(),
  });

  const scanAll = () =>
    Promise.all([
      // The error of a folder that cannot be read was logged when the folder was adopted.
      ...roots.map(async ({ root, files }) => ({
        root,
        contents: await scanCache(files).catch(() => noContents),
      })),
      scanCache(store.files).then((contents) => ({ root: cacheFolder, contents })),
    ]);
  return {
    ...{ source, images, downloads, collector, leases, counts, isUsed },
    roots: () => settings.roots,
    summary: oneAtATime(async () => summaryOf((await scanAll()).map(({ contents }) => contents))),
    upstreams: () => upstreams.describe(Object.keys(settings.registries.mirrors), endpointsOf),
    adopt(next) {
      settings = next;
      hasSettings = true;
      roots = next.roots.map((root) => {
        const files = openCacheFiles(root);
        return { root, files, folder: openImageFolder(root, verified, files) };
      });
      for (const { root, folder } of roots)
        folder.check().catch((error: unknown) => {
          counts.lastError = faultFrom(error).message;
          log.error({ root, error: counts.lastError }, 'the images of a folder cannot be read');
        });
    },
    async list() {
      const found = await scanAll();
      return found.flatMap(({ root, contents }) => imagesOf(contents).map((image) => ({ root, image })));
    },
    async remove(reference) {
      const removed = await collector.removeImage((image) => names(reference, image));
      if (removed !== undefined) return removed.freedBytes;
      const name = formatImageReference(reference);
      if ((await given.manifest(reference)) !== undefined)
        throw new Fault('failed-precondition', `${name} is on media that are only read`);
      throw new Fault('not-found', `there is no image ${name} in the cache`);
    },
  };
}

/** Callers at the same time share one run. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const noContents: CacheContents = { tags: [], manifests: [], blobs: [], unfinished: [] };

/** Whether a reference names the image: by its digest, or else by its tag. */
function names({ registry, repository, tag, digest }: ImageReference, image: CachedImage): boolean {
  if (registry !== image.registry || repository !== image.repository) return false;
  return digest === undefined ? tag === image.tag?.tag : digest === image.digest;
}
