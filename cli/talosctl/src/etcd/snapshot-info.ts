import { statSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';
import { BoltFile } from './bolt-file.ts';
import { crc32c } from './crc32c.ts';
import { checksumBytes } from './snapshot-checksum.ts';

/** Facts about an etcd snapshot. */
export interface SnapshotInfo {
  /** CRC-32C over all buckets, keys and values, as etcd's own tool prints it. */
  readonly hash: number;
  readonly revision: bigint;
  readonly totalKeys: number;
  /** The size of the database in bytes. */
  readonly totalSize: number;
  /** Whether the file ends with a SHA-256 of the database, as snapshots from the API do. */
  readonly hasChecksum: boolean;
}

const keyBucket = 'key';
const sectorBytes = 512;

/** Whether a file of this size ends with a checksum. The size of a database is a multiple of the sector size. */
export function hasChecksum(sizeBytes: number): boolean {
  return sizeBytes % sectorBytes === checksumBytes;
}

/**
 * Reads a snapshot file. Source: Talos v1.14: etcd snapshot.
 *
 * @throws Fault that names the file
 */
export function readSnapshotInfo(path: string): SnapshotInfo {
  try {
    return snapshotInfoOf(path);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot read snapshot ${JSON.stringify(path)}: ${message}`, { cause: error });
  }
}

/** The same for a file that the user does not know. @throws Fault without its name; `invalid-argument` for a damaged one */
export function snapshotInfoOf(path: string): SnapshotInfo {
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
    // A key of this bucket is a revision: the main revision, an underscore, and the number within its transaction.
    if (item.bucket.toString() === keyBucket && item.key.length >= 8) revision = item.key.readBigInt64BE(0);
  }
  return {
    ...{ hash, revision, totalKeys },
    totalSize: file.sizeBytes,
    hasChecksum: hasChecksum(statSync(path).size),
  };
}

/** The line that the command prints. Source: Talos v1.14: etcd snapshot. */
export function snapshotInfoText({ hash, revision, totalKeys, totalSize }: SnapshotInfo): string {
  const hex = hash.toString(16).padStart(8, '0');
  return `snapshot info: hash ${hex}, revision ${revision}, total keys ${totalKeys}, total size ${totalSize}`;
}

/** The same facts as fields of a document. */
export function snapshotInfoDocument({ hash, ...info }: SnapshotInfo): object {
  return { hash: hash.toString(16).padStart(8, '0'), ...info };
}
