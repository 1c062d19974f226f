import { Fault, faultFrom } from '@nodewright/fault';
import { type DistributionClient, decidingFault, type ImageReference, isRefusal } from '@nodewright/oci';
import type { StoredManifest } from '@nodewright/oci/cache';
import {
  type ContentTarget,
  type DistributionSource,
  type LocalImages,
  missing,
  referencesOf,
  type ServedBlob,
} from '@nodewright/oci/serve';
import type { Logger } from '@nodewright/telemetry';
import { registrydLimits } from '../domain/limits.ts';
import { registryInPath } from '../domain/registry-in-path.ts';
import type { CacheStore } from './cache-store.ts';
import type { Downloads } from './downloads.ts';
import type { Leases } from './leases.ts';

export interface PullThroughInit {
  /** The folders of the node, without the store. */
  readonly given: LocalImages;
  /** All folders. */
  readonly images: LocalImages;
  readonly store: CacheStore;
  readonly downloads: Downloads;
  readonly leases: Leases;
  readonly client: DistributionClient;
  readonly log: Logger;
  /** Why nothing may be served or downloaded at the moment; undefined when both may be. */
  readonly refusal: () => string | undefined;
  /** Monotonic, in ms. */
  readonly nowMs: () => number;
}

/**
 * Serves what the folders of the node and the store have, and downloads into the store what they lack. Each call fails with the Fault
 * `unavailable` while the settings of the node do not allow it: the container runtime then asks its next mirror.
 */
export class PullThrough implements DistributionSource {
  readonly #init: PullThroughInit;
  /** By tag: when its registry was last asked. */
  readonly #askedMs = new Map<string, number>();
  readonly #asking = new Map<string, Promise<StoredManifest>>();

  constructor(init: PullThroughInit) {
    this.#init = init;
  }

  async manifest(target: ContentTarget): Promise<StoredManifest> {
    return this.#firstOf(target, (reference) => this.resolve(reference));
  }

  async blob(target: ContentTarget, signal: AbortSignal): Promise<ServedBlob> {
    const { images, leases } = this.#init;
    return this.#firstOf(target, async (reference) => {
      const found = await images.blob(target.which);
      if (found === undefined) return fromGateway(await this.openDownload(reference, target.which, signal));
      const lease = leases.hold([target.which]);
      return {
        size: found.size,
        read: (piece) => found.read(piece),
        [Symbol.asyncDispose]: async () => {
          lease[Symbol.dispose]();
          await found[Symbol.asyncDispose]();
        },
      };
    });
  }

  async blobSize(target: ContentTarget, signal: AbortSignal): Promise<number | undefined> {
    const { images, client } = this.#init;
    return this.#firstOf(target, async (reference) => {
      await using found = await images.blob(target.which);
      return found?.size ?? (await client.sizeOfBlob(reference, target.which, { signal }));
    });
  }

  /** The manifest of a reference: of a tag what its registry says now, or the last that it said when it does not answer. */
  async resolve(reference: ImageReference): Promise<StoredManifest> {
    this.#requireAllowed();
    const { given, images, store, log } = this.#init;
    const { digest, tag } = reference;
    const known = await (digest === undefined ? given : images).manifest(reference).catch(undefinedIfDamaged);
    if (known !== undefined) return this.#used(reference, known);
    if (digest !== undefined) return this.#ask(reference);
    const stored = await store.folder.manifest(reference).catch(undefinedIfDamaged);
    const key = keyOf(reference);
    const askedMs = this.#askedMs.get(key) ?? Number.NEGATIVE_INFINITY;
    if (stored !== undefined && this.#init.nowMs() - askedMs < registrydLimits.freshTagMs)
      return this.#used(reference, stored);
    try {
      return await this.#ask(reference);
    } catch (error) {
      const fault = faultFrom(error);
      if (stored === undefined || isRefusal(fault) || fault.kind === 'cancelled') throw fault;
      log.warn(
        { registry: reference.registry, tag, error: fault.message },
        'the registry gave no usable answer, serving the cached tag',
      );
      return this.#used(reference, stored);
    }
  }

  /** Opens the download of a blob. When it fails for the one who began it, a later reader tries with its own reference. */
  async openDownload(reference: ImageReference, digest: string, signal: AbortSignal): Promise<ServedBlob> {
    this.#requireAllowed();
    const { registry, repository } = reference;
    const wanted = { registry, repository, digest };
    const { downloads } = this.#init;
    const isFirst = !downloads.running().some(({ download }) => download.digest === digest);
    return downloads.open(wanted, signal).catch((error: unknown) => {
      if (isFirst || signal.aborted) throw error;
      return downloads.open(wanted, signal);
    });
  }

  #requireAllowed(): void {
    const refusal = this.#init.refusal();
    if (refusal !== undefined) throw new Fault('unavailable', refusal);
  }

  /** Tries the references that a target may mean. */
  async #firstOf<T>(target: ContentTarget, get: (reference: ImageReference) => Promise<T>): Promise<T> {
    this.#requireAllowed();
    const faults: Fault[] = [];
    for (const reference of await this.#referencesOf(target)) {
      try {
        return await get(reference);
      } catch (error) {
        const fault = faultFrom(error);
        if (fault.kind === 'cancelled') throw fault;
        faults.push(asGateway(fault));
      }
    }
    throw decidingFault(faults) ?? missing(target);
  }

  async #referencesOf(target: ContentTarget): Promise<ImageReference[]> {
    const { images } = this.#init;
    if (target.registry !== undefined) return referencesOf(target, images);
    const named = registryInPath(target);
    const hasLocal = (await images.registriesOf(target.repository)).length > 0;
    return referencesOf(named === undefined || hasLocal ? target : named, images);
  }

  /** Asks the registry, once for all who wait for the same manifest. */
  #ask(reference: ImageReference): Promise<StoredManifest> {
    const key = keyOf(reference);
    const asking =
      this.#asking.get(key) ?? this.#fetch(reference, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #fetch(reference: ImageReference, key: string): Promise<StoredManifest> {
    const { client, store, log } = this.#init;
    const { descriptor, bytes } = await client.resolve(reference);
    const { digest, mediaType } = descriptor;
    try {
      await store.storeManifest(reference, digest, bytes);
      this.#askedMs.delete(key);
      this.#askedMs.set(key, this.#init.nowMs());
      const [oldest = ''] = this.#askedMs.keys();
      if (this.#askedMs.size > registrydLimits.freshTags) this.#askedMs.delete(oldest);
    } catch (error) {
      // The caller can use it all the same.
      log.error({ error: faultFrom(error).message, digest }, 'manifest not stored');
    }
    return { digest, mediaType, bytes };
  }

  /** Records the use of an image in the store; an image of another folder is not there. */
  #used({ registry, repository, tag }: ImageReference, manifest: StoredManifest): StoredManifest {
    const { store } = this.#init;
    const { digest } = manifest;
    const names = [
      { registry, repository, digest },
      ...(tag === undefined ? [] : [{ registry, repository, tag }]),
    ];
    for (const name of names) store.touch(name, registrydLimits.touchMs).catch(() => {});
    return manifest;
  }
}

/**
 * What a caller of the endpoint is told. Damaged files of the node are downloaded again, so content that is wrong at this point came from
 * the registry: a gateway without a usable answer, and no failure of this daemon.
 */
const asGateway = (fault: Fault) =>
  fault.kind === 'data-loss' ? new Fault('unavailable', fault.message, { cause: fault }) : fault;

/** A blob whose digest may turn out to be wrong before its first bytes are sent. */
const fromGateway = (blob: ServedBlob): ServedBlob => ({
  size: blob.size,
  async *read(piece, signal) {
    try {
      yield* blob.read(piece, signal);
    } catch (error) {
      throw asGateway(faultFrom(error));
    }
  },
  [Symbol.asyncDispose]: () => blob[Symbol.asyncDispose](),
});

const keyOf = ({ registry, repository, tag = '', digest = '' }: ImageReference) =>
  `${registry}/${repository}:${tag}@${digest}`;

/** What is damaged on the disk is asked for again. */
function undefinedIfDamaged(error: unknown): undefined {
  if (faultFrom(error).kind !== 'data-loss') throw error;
}
