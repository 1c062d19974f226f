import type { Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { ChangeSignal, Deadline, exponentialDelayMs, pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { continuationFlags } from '@nodewright/files';
import { hashOf, type OpenedBlob } from '@nodewright/oci';
import { TransferRate } from '@nodewright/oci/cache';
import { registrydLimits } from '../domain/limits.ts';
import { BlockWriter } from './block-writer.ts';
import type { Reservation } from './collector.ts';
import { hashStart } from './hash-start.ts';

export interface DownloadInit {
  readonly digest: string;
  /** The file to write, which may have a beginning of the blob from an earlier download. */
  readonly path: string;
  /** Opens the blob of the registry from an offset on. */
  readonly openBlob: (offset: number, signal: AbortSignal) => Promise<OpenedBlob>;
  /** Makes the complete and verified file visible. */
  readonly commit: () => Promise<void>;
  /** Opens the reservation for what this download writes. It ends with the download. */
  readonly reserve: () => Reservation;
  /** Called with the number of bytes that were added to the file. */
  readonly onWritten: (bytes: number) => void;
}

type State =
  | { readonly kind: 'running' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly fault: Fault };

const retryDelay = { firstMs: 500, factor: 2, longestMs: 5000 };
const fileMode = 0o600;
/** What is reserved at once for a blob whose size is not known: more than is received before it is written. */
const { reservedStepBytes } = registrydLimits;

/**
 * Downloads a blob once for all of its readers, who read the file while it grows. A cut connection is continued where it broke; so is
 * a download that an earlier process has begun. What is complete is verified, synced and committed.
 */
export class Download {
  readonly digest: string;
  readonly rate = new TransferRate();
  readonly #init: DownloadInit;
  readonly #changed = new ChangeSignal();
  #state: State = { kind: 'running' };
  #file: FileHandle | undefined;
  #size: number | undefined;
  #writtenBytes = 0;
  #hash: Hash;
  /** Whether the beginning of the file came over another connection. */
  #isContinued = false;
  #hasRestarted = false;
  #hasStarted = false;

  constructor(init: DownloadInit) {
    this.#init = init;
    this.digest = init.digest;
    this.#hash = hashOf(init.digest);
  }

  /** Bytes of the blob; undefined while the registry has not said it. */
  get size(): number | undefined {
    return this.#state.kind === 'done' ? this.#writtenBytes : this.#size;
  }

  get hasFailed(): boolean {
    return this.#state.kind === 'failed';
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Runs until the blob is complete. Rejects with a Fault when it fails; the readers get the same. */
  async run(signal: AbortSignal): Promise<void> {
    using deadline = new Deadline(registrydLimits.downloadMs, signal);
    using room = this.#init.reserve();
    try {
      this.#file = await open(this.#init.path, continuationFlags, fileMode);
      await this.#findStart();
      await this.#fetch(room, deadline.signal);
      await this.#finish();
    } catch (error) {
      const fault = deadline.isOver
        ? new Fault(
            'deadline-exceeded',
            `${this.digest} was not complete after ${registrydLimits.downloadMs / 60_000}m`,
          )
        : faultFrom(error);
      this.#enter({ kind: 'failed', fault });
      // What is damaged, or takes the last space of the disk, is of no use to a later download.
      if (fault.kind === 'data-loss' || fault.kind === 'resource-exhausted') await this.#discard();
      throw fault;
    }
  }

  /** Resolves when bytes can be read, or the download is done. Rejects when it fails before that. */
  async started(signal: AbortSignal): Promise<void> {
    while (!this.#hasStarted && this.#state.kind === 'running') await this.#next(signal);
    if (this.#state.kind === 'failed') throw this.#state.fault;
  }

  /** Resolves when the blob is committed. Rejects when the download fails. */
  async finished(signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'running') await this.#next(signal);
    if (this.#state.kind === 'failed') throw this.#state.fault;
  }

  /**
   * Streams the whole blob, while it is downloaded. A chunk is valid until the next one is requested. The last byte comes only when
   * the blob is verified. Only while the file is open: see `close`.
   */
  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(64 * 1024);
    const hash = hashOf(this.digest);
    let position = 0;
    for (;;) {
      const isDone = this.#state.kind === 'done';
      const end = isDone ? this.#writtenBytes : this.#writtenBytes - 1;
      if (this.#state.kind === 'failed') throw this.#state.fault;
      if (position < end) {
        const wanted = Math.min(buffer.length, end - position);
        const { bytesRead = 0 } = (await this.#file?.read(buffer, 0, wanted, position)) ?? {};
        if (bytesRead === 0) throw new Fault('data-loss', `the file of ${this.digest} became shorter`);
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        position += bytesRead;
        if (isDone && position === end && !this.digest.endsWith(`:${hash.digest('hex')}`))
          throw new Fault('data-loss', `the stored content of ${this.digest} is damaged`);
        yield chunk;
      } else if (isDone) return;
      else await this.#next(signal);
    }
  }

  /** Closes the file, when the download has ended and nobody reads. */
  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /** The file may hold a beginning from an earlier download. */
  async #findStart(): Promise<void> {
    const file = this.#opened();
    this.#writtenBytes = await hashStart(file, this.#hash);
    this.#isContinued = this.#writtenBytes > 0;
    if (this.#writtenBytes > 0) this.#begin();
  }

  async #fetch(room: Reservation, signal: AbortSignal): Promise<void> {
    // A crash may have come between the last byte and its name.
    if (this.#isContinued && this.#isVerified()) return;
    for (let failures = 0; ; ) {
      const before = this.#writtenBytes;
      try {
        await this.#fetchRest(room, signal);
        if (this.#isVerified()) return;
        throw new Fault('data-loss', `the registry sends other content than ${this.digest}`);
      } catch (error) {
        const fault = faultFrom(error);
        if (signal.aborted) throw fault;
        if (fault.kind === 'data-loss' && this.#isContinued && !this.#hasRestarted) {
          // The registry has other bytes than those that the file begins with.
          this.#hasRestarted = true;
          await this.#restart();
          continue;
        }
        const isCut = ['aborted', 'unavailable', 'deadline-exceeded'].includes(fault.kind);
        failures = this.#writtenBytes > before ? 1 : failures + 1;
        if (!isCut || failures >= registrydLimits.fruitlessAttempts) throw fault;
        await pause(exponentialDelayMs(retryDelay, failures), signal);
        this.#isContinued ||= this.#writtenBytes > 0;
      }
    }
  }

  /** Fetches from the end of the file on, over one connection. */
  async #fetchRest(room: Reservation, signal: AbortSignal): Promise<void> {
    if (this.#size !== undefined && this.#writtenBytes === this.#size) return;
    const { size, bytes } = await this.#init.openBlob(this.#writtenBytes, signal);
    if (size !== undefined) {
      this.#size = size;
      await room.extend(size - this.#writtenBytes);
    }
    const writer = new BlockWriter({
      ...{ file: this.#opened(), position: this.#writtenBytes, makeRoom: (count) => room.extend(count) },
      onWritten: (block) => {
        room.written(block.length);
        this.#wrote(block);
      },
    });
    try {
      for await (const piece of bytes) {
        const waitingBytes = writer.waitingBytes + piece.length;
        if (size === undefined && room.bytes < waitingBytes) await room.extend(reservedStepBytes);
        const position = this.#writtenBytes + waitingBytes;
        if (size !== undefined && position > size)
          throw new Fault('data-loss', `the registry sends more for ${this.digest} than ${size} bytes`);
        await writer.write(piece);
      }
    } catch (error) {
      // What came before a cut counts.
      if (faultFrom(error).kind === 'aborted') await writer.flush();
      throw error;
    }
    await writer.flush();
    if (size !== undefined && this.#writtenBytes < size)
      throw new Fault(
        'aborted',
        `the registry ended ${this.digest} at ${this.#writtenBytes} of ${size} bytes`,
      );
  }

  #wrote(block: Uint8Array): void {
    this.#hash.update(block);
    this.#writtenBytes += block.length;
    this.#init.onWritten(block.length);
    this.rate.record(this.#writtenBytes, performance.now());
    this.#begin();
  }

  #isVerified(): boolean {
    return this.digest.endsWith(`:${this.#hash.copy().digest('hex')}`);
  }

  async #restart(): Promise<void> {
    await this.#opened().truncate(0);
    this.#hash = hashOf(this.digest);
    this.#writtenBytes = 0;
    this.#isContinued = false;
  }

  async #finish(): Promise<void> {
    // Where fsync is not allowed, the file was opened so that each write is synced.
    if (process.permission === undefined) await this.#opened().sync();
    await this.#init.commit();
    this.#enter({ kind: 'done' });
  }

  async #discard(): Promise<void> {
    await this.#file?.truncate(0).catch(() => {});
    await rm(this.#init.path, { force: true }).catch(() => {});
  }

  #begin(): void {
    this.#hasStarted = true;
    this.#changed.notify();
  }

  #enter(state: State): void {
    this.#state = state;
    this.#changed.notify();
  }

  async #next(signal: AbortSignal): Promise<void> {
    await this.#changed.next(signal);
    if (signal.aborted) throw new Fault('cancelled', 'the reader has left');
  }

  #opened(): FileHandle {
    if (this.#file === undefined) throw new Fault('internal', `the file of ${this.digest} is closed`);
    return this.#file;
  }
}
