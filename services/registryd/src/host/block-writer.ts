import type { FileHandle } from 'node:fs/promises';
import { registrydLimits } from '../domain/limits.ts';

export interface BlockWriterInit {
  readonly file: FileHandle;
  /** Where the first block goes. */
  readonly position: number;
  /** Called when the disk is full; the write is then tried once more. Rejects when there is no space. */
  readonly makeRoom: (bytes: number) => Promise<void>;
  /** Called with bytes that are in the file. They are valid during the call. */
  readonly onWritten: (block: Uint8Array) => void;
}

/** Collects small pieces into blocks, because each write is synced where fsync is not allowed. */
export class BlockWriter {
  readonly #init: BlockWriterInit;
  readonly #block = Buffer.allocUnsafeSlow(registrydLimits.writeBytes);
  #filledBytes = 0;
  #position: number;
  #lastFlushMs = performance.now();

  constructor(init: BlockWriterInit) {
    this.#init = init;
    this.#position = init.position;
  }

  get waitingBytes(): number {
    return this.#filledBytes;
  }

  async write(piece: Uint8Array): Promise<void> {
    for (let offset = 0; offset < piece.length; ) {
      const taken = piece.subarray(offset, offset + this.#block.length - this.#filledBytes);
      this.#block.set(taken, this.#filledBytes);
      this.#filledBytes += taken.length;
      offset += taken.length;
      if (this.#filledBytes === this.#block.length) await this.flush();
    }
    // A slow registry must not keep the readers waiting for a full block.
    if (performance.now() - this.#lastFlushMs >= registrydLimits.writeDelayMs) await this.flush();
  }

  async flush(): Promise<void> {
    const block = this.#block.subarray(0, this.#filledBytes);
    await this.#writeAll(block).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
      await this.#init.makeRoom(block.length);
      await this.#writeAll(block);
    });
    this.#position += block.length;
    this.#filledBytes = 0;
    this.#lastFlushMs = performance.now();
    if (block.length > 0) this.#init.onWritten(block);
  }

  async #writeAll(block: Uint8Array): Promise<void> {
    for (let done = 0; done < block.length; ) {
      const { bytesWritten } = await this.#init.file.write(
        block,
        done,
        block.length - done,
        this.#position + done,
      );
      done += bytesWritten;
    }
  }
}
