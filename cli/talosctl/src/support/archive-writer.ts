import { Fault } from '@nodewright/fault';
import { Zip, ZipDeflate } from 'fflate';

/** Where the bytes of the archive go. */
export interface ArchiveSink {
  write(bytes: Uint8Array): Promise<void>;
  readonly sizeBytes: number;
}

/** What is written of an entry at once. */
const pieceBytes = 64 * 1024;
/** As much of an entry is collected before it takes its turn, so that slow nodes do not hold up each other. */
const aheadBytes = 256 * 1024;
/** The format has no room for more without an extension that not every tool reads. */
const maxEntryBytes = 2 ** 31;
const maxArchiveBytes = 2 ** 32 - 2 ** 28;

/**
 * A zip that is written while it is made: of each entry only a small part is in memory, however large it is. Entries
 * may be added at the same time; they are written one after the other.
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

  /** Why the archive itself cannot be written any further; every `add` has failed since. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#broken;
  }

  /** Names of the entries, in their order. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /**
   * Adds an entry. When the content fails, what has come is kept. An entry without content is not made.
   *
   * @returns the bytes of the content
   * @throws whatever the content throws; Fault `resource-exhausted` when the archive has no room for more
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
      // A copy: the memory of a piece may be part of a much larger one.
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
          failure = { error: new Fault('resource-exhausted', 'the rest has no room in the archive') };
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

  /** Ends the archive; nothing can be added any more. */
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

  /** Waits for those that were here before; the function that it gives lets in the next. */
  async #takeTurn(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    return resolve;
  }
}
