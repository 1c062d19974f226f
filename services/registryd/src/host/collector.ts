import { statfs } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { type CacheContents, type CachedImage, imagesOf, totalBytes } from '../domain/cache-contents.ts';
import { registrydLimits } from '../domain/limits.ts';
import { planCollection, type Removal } from '../domain/plan-collection.ts';
import type { CacheStore } from './cache-store.ts';
import type { Leases } from './leases.ts';
import { scanCache, sizeOfCache } from './scan-cache.ts';

export interface CollectorInit {
  readonly store: CacheStore;
  readonly leases: Leases;
  /** Whether the node uses the image. */
  readonly isUsed: (image: CachedImage) => boolean;
  /** The size that the cache is kept below, in bytes. */
  readonly limitBytes: number;
  /** Unix time in ms. */
  readonly now: () => number;
}

export interface Collection {
  readonly removedFiles: number;
  readonly freedBytes: number;
}

export interface LastCollection extends Collection {
  /** Unix time in ms. */
  readonly timeMs: number;
}

/** The space of the cache, in bytes. */
export interface CacheSpace {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Of the file system, without what downloads leave to others. */
  readonly freeBytes: number;
}

/** The room of a download, from its first bytes to its end. */
export interface Reservation extends Disposable {
  /** What may still be written, in bytes. */
  readonly bytes: number;
  /**
   * Makes it `bytes` at least, if necessary by removing what may be removed.
   *
   * @throws Fault `resource-exhausted` when that is not enough; what was reserved before stays
   */
  extend(bytes: number): Promise<void>;
  /** Counts bytes that are in a file now, and no longer only reserved. */
  written(bytes: number): void;
}

/**
 * Keeps the cache within its limit and its file system. One collection runs at a time, and one reservation is extended at a time: two that
 * look at the same free space would both take it.
 */
export class Collector {
  readonly #init: CollectorInit;
  /** The last scan, and how much had been added when it began; undefined until the first one. */
  #scanned: { readonly bytes: number; readonly addedBytes: number } | undefined;
  #addedBytes = 0;
  /** Of all running downloads together. */
  #reservedBytes = 0;
  /** By digest: what is being removed. */
  readonly #removing = new Map<string, Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();
  #lastExtension: Promise<unknown> = Promise.resolve();
  #lastCollection: LastCollection | undefined;

  constructor(init: CollectorInit) {
    this.#init = init;
  }

  /** The last collection that has ended. */
  get lastCollection(): LastCollection | undefined {
    return this.#lastCollection;
  }

  /**
   * Removes what no image needs, and old images while the cache is over its limit.
   *
   * @throws Fault `unavailable` when a part of the cache cannot be read; nothing is removed then
   */
  async collect(): Promise<Collection> {
    const { limitBytes, now } = this.#init;
    const collection = await this.#alone(
      async (contents) => totalBytes(contents) - limitBytes,
      registrydLimits.graceMs,
    );
    this.#lastCollection = { ...collection, timeMs: now() };
    return collection;
  }

  /** Removes one image. @returns `undefined` when there is none that `matches` */
  async removeImage(matches: (image: CachedImage) => boolean): Promise<Collection | undefined> {
    const { isUsed, leases } = this.#init;
    return this.#inTurn(async (contents) => {
      const images = imagesOf(contents).filter(matches);
      if (images.length === 0) return undefined;
      const others = new Set(
        imagesOf(contents)
          .filter((image) => !matches(image))
          .flatMap(filesOf),
      );
      const all = images.flatMap(filesOf);
      const isBusy = images.some((image) => isUsed(image) || leases.isHeld(image.digest));
      if (isBusy) throw new Fault('failed-precondition', 'the image is in use');
      const removals = [...new Set(all)].filter((file) => !others.has(file)).sort(byKind);
      const tags = images.flatMap(({ tag }) => (tag === undefined ? [] : [{ ...tag, digest: undefined }]));
      return this.#remove([...tags, ...removals]);
    });
  }

  /**
   * Resolves when no removal of the content is on its way. A lease that was taken before the call keeps it from then on: without the wait a
   * new download could write to a file that has just lost its name.
   */
  async removed(digest: string): Promise<void> {
    await this.#removing.get(digest)?.catch(() => {});
  }

  /** Counts bytes that are in a file now. Those that come during a scan may count twice until the next one, but never not at all. */
  added(bytes: number): void {
    this.#addedBytes += bytes;
  }

  async space(): Promise<CacheSpace> {
    const { limitBytes } = this.#init;
    await this.#measureOnce();
    return { usedBytes: this.#usedBytes(), limitBytes, freeBytes: await this.#freeBytes() };
  }

  /** Opens a reservation for `what`, of 0 bytes. It ends when it is disposed of. */
  reserve(what: string): Reservation {
    let held = 0;
    let isOver = false;
    const resize = (bytes: number) => {
      this.#reservedBytes += bytes - held;
      held = bytes;
    };
    return {
      get bytes() {
        return held;
      },
      extend: async (bytes) => {
        const extension = this.#lastExtension.then(async () => {
          if (isOver) throw new Fault('cancelled', `the download of ${what} has ended`);
          const added = Math.max(bytes - held, 0);
          await this.#makeRoom(added, what);
          if (!isOver) resize(held + added);
        });
        this.#lastExtension = extension.catch(() => {});
        await extension;
      },
      written: (bytes) => {
        this.added(bytes);
        resize(Math.max(held - bytes, 0));
      },
      [Symbol.dispose]: () => {
        isOver = true;
        resize(0);
      },
    };
  }

  /** Makes room for bytes beside those that are reserved. @throws Fault `resource-exhausted` */
  async #makeRoom(bytes: number, what: string): Promise<void> {
    const { limitBytes, store } = this.#init;
    const missing = async () => {
      await this.#measureOnce();
      const usedBytes = this.#usedBytes();
      // Before the look at the file system: what is written meanwhile counts twice, and in the other order not at all.
      const wantedBytes = this.#reservedBytes + bytes;
      return Math.max(wantedBytes - (await this.#freeBytes()), usedBytes + wantedBytes - limitBytes);
    };
    if ((await missing()) <= 0) return;
    if (this.#reservedBytes + bytes <= limitBytes)
      await this.#alone(missing, registrydLimits.pressureGraceMs);
    if ((await missing()) <= 0) return;
    const room = `the file system of "${store.folder.root}" has ${await this.#freeBytes()} bytes left for it, and the cache may have ${limitBytes}`;
    throw new Fault(
      'resource-exhausted',
      `there is no space for ${what}: ${bytes} bytes are needed beside ${this.#reservedBytes} that running downloads have reserved; ${room}`,
    );
  }

  /**
   * Looks at the sizes of all files before the first scan. A manifest that cannot be read, on a disk that is going bad, keeps what is
   * stored from being removed; it must not keep downloads from a cache that has room.
   */
  async #measureOnce(): Promise<void> {
    if (this.#scanned !== undefined) return;
    const addedBytes = this.#addedBytes;
    const bytes = await this.#read(sizeOfCache);
    this.#scanned ??= { bytes, addedBytes };
  }

  /** @throws Fault `unavailable` that names the cache */
  #read<T>(read: (files: CacheStore['files']) => Promise<T>): Promise<T> {
    const { files, folder } = this.#init.store;
    return read(files).catch((error: unknown) => {
      const { message } = faultFrom(error);
      throw new Fault('unavailable', `the cache "${folder.root}" cannot be read: ${message}`, {
        cause: error,
      });
    });
  }

  #usedBytes(): number {
    const { bytes = 0, addedBytes = 0 } = this.#scanned ?? {};
    return bytes + this.#addedBytes - addedBytes;
  }

  async #freeBytes(): Promise<number> {
    const { bavail, blocks, bsize } = await statfs(this.#init.store.folder.root);
    return Math.max(0, Math.floor((bavail - blocks * registrydLimits.freeShare) * bsize));
  }

  /** @param needed called after the scan: what is to be freed, in bytes */
  #alone(needed: (contents: CacheContents) => Promise<number>, graceMs: number): Promise<Collection> {
    const { leases, isUsed, now } = this.#init;
    return this.#inTurn(async (contents) => {
      const neededBytes = Math.max(0, await needed(contents));
      return this.#remove(
        planCollection({
          ...{ contents, isUsed, isHeld: (digest) => leases.isHeld(digest), nowMs: now(), graceMs },
          ...{ unfinishedMs: registrydLimits.unfinishedMs, neededBytes },
        }),
      );
    });
  }

  async #scan(): Promise<CacheContents> {
    const addedBytes = this.#addedBytes;
    const contents = await this.#read(scanCache);
    this.#scanned = { bytes: totalBytes(contents), addedBytes };
    return contents;
  }

  #inTurn<T>(work: (contents: CacheContents) => Promise<T>): Promise<T> {
    const next = this.#last.then(async () => work(await this.#scan()));
    this.#last = next.catch(() => {});
    return next;
  }

  async #remove(removals: readonly Removal[]): Promise<Collection> {
    const { leases, store } = this.#init;
    let removedFiles = 0;
    let freedBytes = 0;
    for (const { path, digest, bytes } of removals) {
      // A reader may have come since the scan.
      if (digest !== undefined && leases.isHeld(digest)) continue;
      const removing = store.remove(path);
      if (digest !== undefined) this.#removing.set(digest, removing);
      try {
        await removing;
      } finally {
        if (digest !== undefined) this.#removing.delete(digest);
      }
      removedFiles += 1;
      freedBytes += bytes;
      this.added(-bytes);
    }
    return { removedFiles, freedBytes };
  }
}

const filesOf = ({ manifests, blobs }: CachedImage): (Removal & { digest: string })[] => [
  ...manifests,
  ...blobs,
];
/** Manifests before blobs. */
const byKind = (a: Removal, b: Removal) => Number(isBlob(a)) - Number(isBlob(b));
const isBlob = ({ path }: Removal) => path.startsWith('blob/');
