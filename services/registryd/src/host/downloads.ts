import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { formatImageReference, type ImageReference, type OpenedBlob } from '@nodewright/oci';
import type { ServedBlob } from '@nodewright/oci/serve';
import { registrydLimits } from '../domain/limits.ts';
import type { CacheStore } from './cache-store.ts';
import type { Collector } from './collector.ts';
import { Download } from './download.ts';
import type { Leases } from './leases.ts';

/** Names a blob by its digest. */
export type BlobReference = ImageReference & { readonly digest: string };

export interface DownloadsInit {
  readonly store: CacheStore;
  readonly collector: Collector;
  readonly leases: Leases;
  /** Opens a blob of a registry. */
  readonly openBlob: (reference: BlobReference, offset: number, signal: AbortSignal) => Promise<OpenedBlob>;
  readonly onWritten: (bytes: number) => void;
  readonly onFailed: (reference: ImageReference, fault: Fault) => void;
  /** Aborts when the daemon stops. */
  readonly signal: AbortSignal;
}

/** A download in progress. */
export interface RunningDownload {
  readonly reference: ImageReference;
  readonly download: Download;
}

interface Entry extends RunningDownload {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readers: number;
  hasEnded: boolean;
}

/** Downloads each blob once, however many want it at the same time. */
export class Downloads {
  readonly #init: DownloadsInit;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(init: DownloadsInit) {
    this.#init = init;
  }

  running(): RunningDownload[] {
    return [...this.#entries.values()].filter(({ hasEnded }) => !hasEnded);
  }

  /**
   * Opens the blob that a reference names by its digest. Resolves when its first bytes have arrived. The download goes on while it has
   * readers, and for some seconds after the last one has left.
   */
  async open(reference: BlobReference, signal: AbortSignal): Promise<ServedBlob> {
    const known = this.#entries.get(reference.digest);
    // A failed download removes its file before another one may begin.
    if (known?.download.hasFailed) await known.ended;
    const entry = this.#entries.get(reference.digest) ?? this.#start(reference);
    const { download } = entry;
    const leave = this.#enter(entry);
    try {
      await download.started(signal);
    } catch (error) {
      leave();
      throw error;
    }
    const { store } = this.#init;
    return {
      get size() {
        return download.size;
      },
      async *read(piece, readSignal) {
        if (piece === undefined) return yield* download.read(readSignal);
        // A piece cannot be verified before the whole is there.
        await download.finished(readSignal);
        await using file = await store.folder.blob(reference.digest);
        if (file === undefined) throw new Fault('aborted', `${reference.digest} was removed`);
        yield* file.read(piece);
      },
      [Symbol.asyncDispose]: async () => leave(),
    };
  }

  /** Waits until every download has stopped. Call it after the signal has aborted. */
  async ended(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ ended }) => ended));
  }

  #enter(entry: Entry): () => void {
    entry.readers += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      entry.readers -= 1;
      if (entry.readers > 0) return;
      if (entry.hasEnded) void entry.download.close();
      else void this.#stopIfLeft(entry);
    };
  }

  async #stopIfLeft(entry: Entry): Promise<void> {
    await pause(registrydLimits.lingerMs, AbortSignal.any([this.#init.signal, entry.stop.signal]));
    if (entry.readers === 0) entry.stop.abort();
  }

  #start(reference: BlobReference): Entry {
    const { store, collector, leases, openBlob } = this.#init;
    const { digest } = reference;
    const download = new Download({
      ...{ digest, path: store.unfinishedPath(digest) },
      openBlob: (offset, signal) => openBlob(reference, offset, signal),
      commit: () => store.commitBlob(digest),
      reserve: () => collector.reserve(formatImageReference(reference)),
      onWritten: this.#init.onWritten,
    });
    const stop = new AbortController();
    const lease = leases.hold([digest]);
    const signal = AbortSignal.any([this.#init.signal, stop.signal]);
    const run = async () => {
      try {
        await this.#inTurn(async () => {
          await collector.removed(digest);
          await download.run(signal);
        });
      } catch (error) {
        const fault = faultFrom(error);
        if (!signal.aborted) this.#init.onFailed(reference, fault);
      } finally {
        lease[Symbol.dispose]();
        entry.hasEnded = true;
        // Later readers find the committed file, or begin a new download.
        this.#entries.delete(digest);
        if (entry.readers === 0) await download.close();
        stop.abort();
      }
    };
    const entry: Entry = { reference, download, stop, ended: Promise.resolve(), readers: 0, hasEnded: false };
    this.#entries.set(digest, entry);
    Object.assign(entry, { ended: run() });
    return entry;
  }

  /** Limits the downloads at the same time. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#active < registrydLimits.downloads) this.#active += 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    try {
      await work();
    } finally {
      // The next one takes this place over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }
}
