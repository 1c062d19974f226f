import { statSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';
import { BoltFile } from './bolt-file.ts';
import { crc32c } from './crc32c.ts';

/** What a snapshot of etcd holds. */
export interface SnapshotInfo {
  /** CRC-32C over everything, the same as etcd's own tool prints. */
  readonly hash: number;
  readonly revision: bigint;
  readonly totalKeys: number;
  /** Bytes of the database. */
  readonly totalSize: number;
  /** Whether a SHA-256 of the database follows it, as in snapshots that went through the API. */
  readonly hasChecksum: boolean;
}

const keyBucket = 'key';
const sectorBytes = 512;
const checksumBytes = 32;

/** Whether a file of this size ends in a checksum: databases are made of whole sectors. */
export function hasChecksum(sizeBytes: number): boolean {
  return sizeBytes % sectorBytes === checksumBytes;
}

/**
 * Reads a snapshot in a file. Source: Talos v1.14: etcd snapshot.
 *
 * @throws Fault that names the file
 */
export function readSnapshotInfo(path: string): SnapshotInfo {
  try {
    using file = new BoltFile(path);
    let hash = 0;
    let totalKeys = 0;
    let revision = 0n;
    for (const item of file.items()) {
      if (item.kind === 'bucket') {
        hash = crc32c(item.name, hash);
        continue;
      }
      hash = crc32c(item.value, crc32c(item.key, hash));
      totalKeys += 1;
      // Keys of this bucket are revisions: the main number, an underscore, the number within its transaction.
      if (item.bucket.toString() === keyBucket && item.key.length >= 8) revision = item.key.readBigInt64BE(0);
    }
    return {
      ...{ hash, revision, totalKeys },
      totalSize: file.sizeBytes,
      hasChecksum: hasChecksum(statSync(path).size),
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot read snapshot ${JSON.stringify(path)}: ${message}`, { cause: error });
  }
}

/** The line for people. Source: Talos v1.14: etcd snapshot. */
export function snapshotInfoText({ hash, revision, totalKeys, totalSize }: SnapshotInfo): string {
  const hex = hash.toString(16).padStart(8, '0');
  return `snapshot info: hash ${hex}, revision ${revision}, total keys ${totalKeys}, total size ${totalSize}`;
}

/** The same as fields of a document. */
export function snapshotInfoDocument({ hash, ...info }: SnapshotInfo): object {
  return { hash: hash.toString(16).padStart(8, '0'), ...info };
}
