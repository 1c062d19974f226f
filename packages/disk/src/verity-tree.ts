// The hash tree with which the kernel's dm-verity checks every block of a read-only file system.
// Source: Linux, dm-verity.
import { createHash } from 'node:crypto';

const blockBytes = 4096;
const digestBytes = 32;
const digestsPerBlock = blockBytes / digestBytes;
const superblockBytes = 512;
const maximumSaltBytes = 256;

export interface VerityTree {
  /** SHA-256 of the top of the tree, in hex. Whoever knows it can check every block of the data. */
  readonly rootHash: string;
  /** A superblock in a block of its own, then the levels of the tree from the top to the bottom. */
  readonly file: Buffer;
}

export interface VerityTreeInit {
  /** Hashed before each block, at most 256 bytes. */
  readonly salt: Buffer;
  /** 16 bytes that name the tree. */
  readonly uuid: Buffer;
}

/**
 * Computes the tree over `data`, whose last block counts as if it were filled with zeros. The same arguments give the
 * same bytes.
 *
 * @throws Error for empty data or a salt or uuid of another length
 */
export function verityTree(data: Buffer, init: VerityTreeInit): VerityTree {
  const builder = new VerityTreeBuilder(init);
  builder.update(data);
  return builder.finish();
}

/** Computes a tree over data that arrives in pieces. Its memory is a 128th of the data. */
export class VerityTreeBuilder {
  readonly #init: VerityTreeInit;
  readonly #digests: Buffer[] = [];
  /** The start of a block that is not complete yet. */
  readonly #partial = Buffer.alloc(blockBytes);
  #partialBytes = 0;

  /** @throws Error for a salt or uuid of another length */
  constructor(init: VerityTreeInit) {
    const { salt, uuid } = init;
    if (salt.length > maximumSaltBytes) throw new Error(`the salt has ${salt.length} bytes, more than 256`);
    if (uuid.length !== 16) throw new Error(`the uuid has ${uuid.length} bytes instead of 16`);
    this.#init = init;
  }

  /** Adds the next bytes of the data. */
  update(data: Uint8Array): void {
    let rest = data;
    if (this.#partialBytes > 0) {
      const taken = rest.subarray(0, blockBytes - this.#partialBytes);
      this.#partial.set(taken, this.#partialBytes);
      this.#partialBytes += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#partialBytes < blockBytes) return;
      this.#add(this.#partial);
      this.#partialBytes = 0;
    }
    for (; rest.length >= blockBytes; rest = rest.subarray(blockBytes))
      this.#add(rest.subarray(0, blockBytes));
    this.#partial.set(rest);
    this.#partialBytes = rest.length;
  }

  /** The tree over all data. No more can be added. @throws Error when there was none */
  finish(): VerityTree {
    const { salt, uuid } = this.#init;
    if (this.#partialBytes > 0) this.#add(this.#partial.subarray(0, this.#partialBytes));
    const [only] = this.#digests;
    if (only === undefined) throw new Error('there is no data to compute a hash tree of');
    const dataBlocks = this.#digests.length;
    const head = superblock({ dataBlocks, salt, uuid });
    // Data of one block has no levels: its digest is the root hash.
    if (dataBlocks === 1) return { rootHash: only.toString('hex'), file: head };
    let level = levelOf(this.#digests);
    const levels = [level];
    while (level.length > blockBytes) {
      level = levelOf(digestsOf(level, salt));
      levels.unshift(level);
    }
    return { rootHash: digestOf(level, salt).toString('hex'), file: Buffer.concat([head, ...levels]) };
  }

  #add(block: Uint8Array): void {
    this.#digests.push(digestOf(block, this.#init.salt));
  }
}

/** What the superblock of a tree says it was computed with. Undefined when there is no superblock. */
export function verityTreeInit(file: Buffer): VerityTreeInit | undefined {
  if (file.length < superblockBytes) return undefined;
  const saltBytes = file.readUInt16LE(80);
  if (saltBytes > maximumSaltBytes) return undefined;
  return { salt: file.subarray(88, 88 + saltBytes), uuid: file.subarray(16, 32) };
}

/** The most bytes that a tree over so many bytes of data has. */
export function verityTreeBytes(dataBytes: number): number {
  let bytes = blockBytes;
  for (let blocks = Math.ceil(dataBytes / blockBytes); blocks > 1; ) {
    blocks = Math.ceil(blocks / digestsPerBlock);
    bytes += blocks * blockBytes;
  }
  return bytes;
}

/** Digests, filled up with zeros to whole blocks. */
function levelOf(digests: readonly Buffer[]): Buffer {
  const level = Buffer.alloc(Math.ceil(digests.length / digestsPerBlock) * blockBytes);
  for (const [at, digest] of digests.entries()) digest.copy(level, at * digestBytes);
  return level;
}

/** The digests of all blocks of a level. */
function digestsOf(level: Buffer, salt: Buffer): Buffer[] {
  return Array.from({ length: level.length / blockBytes }, (_, block) =>
    digestOf(level.subarray(block * blockBytes, (block + 1) * blockBytes), salt),
  );
}

function digestOf(content: Uint8Array, salt: Buffer): Buffer {
  const hash = createHash('sha256').update(salt).update(content);
  if (content.length < blockBytes) hash.update(Buffer.alloc(blockBytes - content.length));
  return hash.digest();
}

function superblock({ dataBlocks, salt, uuid }: { dataBlocks: number } & VerityTreeInit): Buffer {
  const block = Buffer.alloc(blockBytes);
  const fields = block.subarray(0, superblockBytes);
  fields.write('verity\0\0', 0, 'latin1');
  fields.writeUInt32LE(1, 8); // version of the superblock
  fields.writeUInt32LE(1, 12); // the salt comes before the data
  uuid.copy(fields, 16);
  fields.write('sha256', 32, 'latin1');
  fields.writeUInt32LE(blockBytes, 64);
  fields.writeUInt32LE(blockBytes, 68);
  fields.writeBigUInt64LE(BigInt(dataBlocks), 72);
  fields.writeUInt16LE(salt.length, 80);
  salt.copy(fields, 88);
  return block;
}
