import { Fault } from '@nodewright/fault';
import { Zip, ZipDeflate } from 'fflate';

/** Where the bytes of the archive go. */
export interface ArchiveSink {
  write(bytes: Uint8Array): Promise<void>;
  readonly sizeBytes: number;
}

/** Bytes of an entry that are written at once. */
const pieceBytes = 64 * 1024;
/** Bytes of an entry that are buffered before its turn, so that slow nodes do not delay each other. */
const aheadBytes = 256 * 1024;
/** Larger archives need an extension of the format that some tools cannot read. */
const maxEntryBytes = 2 ** 31;
const maxArchiveBytes = 2 ** 32 - 2 ** 28;

/**
 * A zip that is written while its content arrives: only a small part of each entry is in memory, whatever its
 * size. Several callers may add entries at the same time; they are written one after the other.
 */
export class ArchiveWriter {
  readonly #sink: ArchiveSink;
  readonly #zip: Zip;
  readonly #modified: Date;
  readonly #names = new Set<string>();
  #pending: Uint8Array[] = [];
  #turn: Promise<void> = Promise.resolve();
  #broken: { readonly error: unknown } | undefined;

  /** @param modified the time that entries carry */
  constructor(sink: ArchiveSink, modified: Date) {
    this.#sink = sink;
    this.#modified = modified;
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error;
      this.#pending.push(bytes);
    });
  }

  /** Why the archive can no longer be written; every `add` has failed since. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#broken;
  }

  /** Names of the entries, in their order. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /**
   * Adds an entry. When the content fails, the part that arrived is kept. An entry without content is left
   * out.
   *
   * @returns the bytes of the content
   * @throws whatever the content throws; Fault `resource-exhausted` when the archive is full
   */
  async add(path: string, content: AsyncIterable<Uint8Array | string>): Promise<number> {
    const pieces = content[Symbol.asyncIterator]();
    const ahead: Uint8Array[] = [];
    let aheadSize = 0;
    let failure: { readonly error: unknown } | undefined;
    let isEnded = false;
    const next = async (): Promise<Uint8Array | undefined> => {
      try {
        const { value, done } = await pieces.next();
        if (!done) return typeof value === 'string' ? Buffer.from(value) : value;
      } catch (error) {
        failure = { error };
      }
      isEnded = true;
      return undefined;
    };
    while (aheadSize < aheadBytes) {
      const piece = await next();
      if (piece === undefined) break;
      // A copy, because the memory of a piece may be part of a much larger buffer.
      ahead.push(Uint8Array.from(piece));
      aheadSize += piece.length;
    }
    if (failure !== undefined && aheadSize === 0) throw failure.error;
    if (aheadSize === 0) return 0;
    const release = await this.#takeTurn();
    try {
      const entry = this.#begin(path);
      let size = 0;
      for (let piece = ahead.shift() ?? new Uint8Array(); ; ) {
        size += piece.length;
        await this.#push(entry, piece);
        if (size > maxEntryBytes || this.#sink.sizeBytes > maxArchiveBytes) {
          failure = { error: new Fault('resource-exhausted', 'the rest does not fit in the archive') };
          break;
        }
        const following = ahead.shift() ?? (isEnded ? undefined : await next());
        if (following === undefined) break;
        piece = following;
      }
      entry.push(new Uint8Array(), true);
      await this.#drain();
      if (failure !== undefined) throw failure.error;
      return size;
    } finally {
      release();
      if (!isEnded) await pieces.return?.();
    }
  }

  /** Ends the archive; nothing can be added after that. */
  async finish(): Promise<void> {
    const release = await this.#takeTurn();
    this.#zip.end();
    await this.#drain();
    release();
  }

  #begin(path: string): ZipDeflate {
    let name = path;
    for (let count = 2; this.#names.has(name); count += 1) name = `${path}-${count}`;
    this.#names.add(name);
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = this.#modified;
    this.#zip.add(entry);
    return entry;
  }

  async #push(entry: ZipDeflate, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      entry.push(bytes.subarray(at, at + pieceBytes), false);
      await this.#drain();
    }
  }

  async #drain(): Promise<void> {
    const bytes = this.#pending;
    this.#pending = [];
    try {
      for (const piece of bytes) await this.#sink.write(piece);
    } catch (error) {
      this.#broken ??= { error };
      throw error;
    }
  }

  /** Waits for all earlier callers; the returned function admits the next one. */
  async #takeTurn(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    return resolve;
  }
}
