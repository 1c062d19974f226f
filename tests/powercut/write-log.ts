// The log in which QEMU's driver `blklogwrites` records every write and every flush of a disk, in their order.
// Source: Linux, dm-log-writes.

/** The size of a sector, of the log and of the disk. */
export const logSectorBytes = 512;
const magic = 0x6a73_6677_7368_72n;
const version = 1n;

const flags = { flush: 1, forceUnitAccess: 2, discard: 4, mark: 8 } as const;
const knownFlags = flags.flush | flags.forceUnitAccess | flags.discard | flags.mark;
const largestSector = 1n << 40n;

/** One request of the machine, complete when it was recorded. */
export type LogEntry =
  /** Everything recorded before is on the disk. */
  | { readonly kind: 'flush' }
  /** @property isForced the data are on the disk as soon as the request is complete */
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer; readonly isForced: boolean }
  /** The machine does not need these bytes any more: they may read as anything. */
  | { readonly kind: 'discard'; readonly at: number; readonly lengthBytes: number };

/**
 * Reads a log. The number of entries in its superblock is ignored: QEMU writes it only at a flush, so it does not count the
 * writes after the last one when QEMU is killed; before the first flush there are zeros in its place. What was recorded only
 * in part at the end is left out.
 *
 * @throws Error when the bytes are no such log
 */
export function readWriteLog(log: Buffer): LogEntry[] {
  const superblock = log.subarray(0, logSectorBytes);
  const hasFlush = superblock.some((byte) => byte !== 0);
  if (hasFlush) checkSuperblock(superblock);
  const entries: LogEntry[] = [];
  for (let next = logSectorBytes; next + logSectorBytes <= log.length; ) {
    const head = decodeEntryHead(log.subarray(next, next + logSectorBytes));
    const begin = next + logSectorBytes;
    if (head === undefined || begin + head.dataBytes > log.length) break;
    const { at, lengthBytes, dataBytes } = head;
    if (head.isFlush) entries.push({ kind: 'flush' });
    if (head.isDiscard) entries.push({ kind: 'discard', at, lengthBytes });
    if (dataBytes > 0)
      entries.push({
        ...{ kind: 'write', at, bytes: log.subarray(begin, begin + dataBytes) },
        isForced: head.isForced,
      });
    next = begin + dataBytes;
  }
  if (!hasFlush && entries.length === 0) throw new Error('no log of writes');
  return entries;
}

function checkSuperblock(sector: Buffer): void {
  if (
    sector.length < logSectorBytes ||
    sector.readBigUInt64LE(0) !== magic ||
    sector.readBigUInt64LE(8) !== version
  )
    throw new Error('no log of writes');
  const sectorBytes = sector.readUInt32LE(24);
  if (sectorBytes !== logSectorBytes) throw new Error(`the log has sectors of ${sectorBytes} bytes, not 512`);
}

export interface EntryHead {
  readonly at: number;
  readonly lengthBytes: number;
  /** What follows the head in the log. */
  readonly dataBytes: number;
  readonly isFlush: boolean;
  readonly isForced: boolean;
  readonly isDiscard: boolean;
}

/** Decodes the sector with which an entry begins; undefined when there is no entry. */
export function decodeEntryHead(sector: Buffer): EntryHead | undefined {
  if (sector.length < logSectorBytes) return undefined;
  const [first, count, bits] = [0, 8, 16].map((at) => sector.readBigUInt64LE(at)) as [bigint, bigint, bigint];
  if (first >= largestSector || count >= largestSector || (bits & ~BigInt(knownFlags)) !== 0n)
    return undefined;
  // Zeros: QEMU was killed after it had recorded a later entry, and before this one.
  if (bits === 0n && count === 0n) return undefined;
  const has = (flag: number) => (Number(bits) & flag) !== 0;
  const lengthBytes = Number(count) * logSectorBytes;
  return {
    ...{ at: Number(first) * logSectorBytes, lengthBytes },
    dataBytes: has(flags.discard) ? 0 : lengthBytes,
    ...{ isFlush: has(flags.flush), isForced: has(flags.forceUnitAccess), isDiscard: has(flags.discard) },
  };
}

/** Writes a log as QEMU does, with the number of entries that its superblock shall have. */
export function encodeWriteLog(entries: readonly LogEntry[], counted = entries.length): Buffer {
  const superblock = Buffer.alloc(logSectorBytes);
  superblock.writeBigUInt64LE(magic, 0);
  superblock.writeBigUInt64LE(version, 8);
  superblock.writeBigUInt64LE(BigInt(counted), 16);
  superblock.writeUInt32LE(logSectorBytes, 24);
  return Buffer.concat([superblock, ...entries.flatMap(encodeEntry)]);
}

function encodeEntry(entry: LogEntry): Buffer[] {
  const head = Buffer.alloc(logSectorBytes);
  const fill = (at: number, lengthBytes: number, bits: number) => {
    head.writeBigUInt64LE(BigInt(at / logSectorBytes), 0);
    head.writeBigUInt64LE(BigInt(lengthBytes / logSectorBytes), 8);
    head.writeBigUInt64LE(BigInt(bits), 16);
  };
  if (entry.kind === 'flush') {
    fill(0, 0, flags.flush);
    return [head];
  }
  if (entry.kind === 'discard') {
    fill(entry.at, entry.lengthBytes, flags.discard);
    return [head];
  }
  fill(entry.at, entry.bytes.length, entry.isForced ? flags.forceUnitAccess : 0);
  return [head, entry.bytes];
}
