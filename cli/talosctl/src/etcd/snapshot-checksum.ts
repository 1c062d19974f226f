import { createHash } from 'node:crypto';

export const checksumBytes = 32;

/** Compares the SHA-256 at the end of a snapshot with the bytes before it, while the snapshot arrives in pieces. */
export class SnapshotChecksum {
  readonly #hash = createHash('sha256');
  /** The last bytes, which are the checksum if nothing follows. */
  #last = Buffer.alloc(0);

  update(piece: Uint8Array): void {
    const bytes = Buffer.concat([this.#last, piece]);
    const end = Math.max(0, bytes.length - checksumBytes);
    this.#hash.update(bytes.subarray(0, end));
    this.#last = bytes.subarray(end);
  }

  /** Whether the snapshot is what its sender hashed. Call it once, after the last piece. */
  matches(): boolean {
    return this.#hash.digest().equals(this.#last);
  }
}
