import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';

const blockBytes = 4096;
const readBytes = 1 << 20;
const zeros = Buffer.alloc(readBytes);

/** A range of bytes; `end` is the first one behind it. */
export interface ByteRange {
  readonly from: number;
  readonly end: number;
}

/**
 * The contents of a disk in memory, of which only the blocks that were written take space. A copy shares them with its
 * original.
 */
export class SparseDisk {
  readonly sizeBytes: number;
  readonly #blocks: Map<number, Buffer>;

  constructor(sizeBytes: number, blocks: ReadonlyMap<number, Buffer> = new Map()) {
    this.sizeBytes = sizeBytes;
    this.#blocks = new Map(blocks);
  }

  copy(): SparseDisk {
    return new SparseDisk(this.sizeBytes, this.#blocks);
  }

  /** Bytes behind the end of the disk are left out. */
  write(at: number, bytes: Buffer): void {
    for (let done = 0; done < bytes.length && at + done < this.sizeBytes; ) {
      const index = Math.floor((at + done) / blockBytes);
      const offset = (at + done) % blockBytes;
      const part = bytes.subarray(done, done + blockBytes - offset);
      // A block may be shared with a copy, so it is replaced.
      const block = Buffer.from(this.#blocks.get(index) ?? zeros.subarray(0, blockBytes));
      part.copy(block, offset);
      if (isZero(block)) this.#blocks.delete(index);
      else this.#blocks.set(index, block);
      done += part.length;
    }
  }

  /** Fills a range with zeros. */
  clear({ from, end }: ByteRange): void {
    const [first, behind] = [Math.ceil(from / blockBytes), Math.floor(end / blockBytes)];
    for (const index of this.#blocks.keys()) if (index >= first && index < behind) this.#blocks.delete(index);
    const edges =
      first > behind
        ? [{ from, end }]
        : [
            { from, end: first * blockBytes },
            { from: behind * blockBytes, end },
          ];
    for (const edge of edges) this.write(edge.from, Buffer.alloc(edge.end - edge.from));
  }

  read(at: number, lengthBytes: number): Buffer {
    const result = Buffer.alloc(lengthBytes);
    for (let done = 0; done < lengthBytes; ) {
      const offset = (at + done) % blockBytes;
      const length = Math.min(blockBytes - offset, lengthBytes - done);
      this.#blocks.get(Math.floor((at + done) / blockBytes))?.copy(result, done, offset, offset + length);
      done += length;
    }
    return result;
  }

  /** Writes what is not zeros into a file that reads as zeros. */
  writeTo(file: number): void {
    for (const [index, block] of this.#blocks) writeSync(file, block, 0, blockBytes, index * blockBytes);
  }

  /** The same for disks of the same contents. */
  digest(): string {
    const hash = createHash('sha256');
    for (const index of [...this.#blocks.keys()].sort((a, b) => a - b))
      hash.update(`${index} `).update(this.#blocks.get(index) ?? zeros);
    return hash.digest('hex');
  }
}

function isZero(block: Buffer): boolean {
  return block.equals(zeros.subarray(0, block.length));
}

/** Reads a disk from a file, except for what is completely in one of these ranges: that reads as zeros. */
export function readSparseDisk(path: string, without: readonly ByteRange[] = []): SparseDisk {
  const { size } = statSync(path);
  const disk = new SparseDisk(size);
  const isLeftOut = (at: number) => without.some(({ from, end }) => from <= at && at + readBytes <= end);
  readNonZero(path, { from: 0, end: size }, (at, part) => {
    if (!isLeftOut(at)) disk.write(at, part);
  });
  return disk;
}

/** Copies a range of a file over zeros in another one. */
export function copySparseRange(source: string, target: string, range: ByteRange): void {
  const file = openSync(target, 'r+');
  try {
    readNonZero(source, range, (at, part) => void writeSync(file, part, 0, part.length, at));
  } finally {
    closeSync(file);
  }
}

function readNonZero(path: string, { from, end }: ByteRange, use: (at: number, part: Buffer) => void): void {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(readBytes);
    for (let at = from; at < end; at += readBytes) {
      const part = bytes.subarray(0, readSync(file, bytes, 0, Math.min(readBytes, end - at), at));
      if (!isZero(part)) use(at, part);
    }
  } finally {
    closeSync(file);
  }
}

/** Makes a file with the contents of the disk. What holds zeros takes no space. */
export function writeSparseFile(path: string, disk: SparseDisk): void {
  const file = openSync(path, 'w', 0o600);
  try {
    ftruncateSync(file, disk.sizeBytes);
    disk.writeTo(file);
  } finally {
    closeSync(file);
  }
}
