// The hash tree with which the kernel's dm-verity checks every block of the root file system.
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

/**
 * Computes the tree over `data`, whose last block counts as if it were filled with zeros. The same arguments give the
 * same bytes.
 *
 * @param salt hashed before each block, at most 256 bytes
 * @param uuid 16 bytes that name the tree
 * @throws Error for empty data or a salt or uuid of another length
 */
export function verityTree(data: Buffer, { salt, uuid }: { salt: Buffer; uuid: Buffer }): VerityTree {
  if (data.length === 0) throw new Error('there is no data to compute a hash tree of');
  if (salt.length > maximumSaltBytes) throw new Error(`the salt has ${salt.length} bytes, more than 256`);
  if (uuid.length !== 16) throw new Error(`the uuid has ${uuid.length} bytes instead of 16`);
  const levels: Buffer[] = [];
  let level = data;
  // Data of one block has no levels: its digest is the root hash.
  while (level.length > blockBytes) {
    level = digestsOf(level, salt);
    levels.unshift(level);
  }
  const rootHash = digestOf(level, salt).toString('hex');
  const dataBlocks = Math.ceil(data.length / blockBytes);
  return { rootHash, file: Buffer.concat([superblock({ dataBlocks, salt, uuid }), ...levels]) };
}

/** The digests of all blocks, filled up with zeros to whole blocks. */
function digestsOf(data: Buffer, salt: Buffer): Buffer {
  const blocks = Math.ceil(data.length / blockBytes);
  const level = Buffer.alloc(Math.ceil(blocks / digestsPerBlock) * blockBytes);
  for (let block = 0; block < blocks; block += 1) {
    const content = data.subarray(block * blockBytes, (block + 1) * blockBytes);
    digestOf(content, salt).copy(level, block * digestBytes);
  }
  return level;
}

function digestOf(content: Buffer, salt: Buffer): Buffer {
  const hash = createHash('sha256').update(salt).update(content);
  if (content.length < blockBytes) hash.update(Buffer.alloc(blockBytes - content.length));
  return hash.digest();
}

function superblock({ dataBlocks, salt, uuid }: { dataBlocks: number; salt: Buffer; uuid: Buffer }): Buffer {
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
