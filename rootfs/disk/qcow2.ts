// Disk images in the format qcow2, version 3, without compression: what holds zeros takes no room. Source: QEMU, docs/interop/qcow2.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const clusterBits = 16;
const clusterBytes = 1 << clusterBits;
const entryBytes = 8;
/** Clusters that one table of the second level, or one block of counts, is for. */
const perTable = clusterBytes / entryBytes;
const countBytes = 2;
const perCounts = clusterBytes / countBytes;
const headerBytes = 104;
/** The cluster is used once. */
const copied = 1n << 63n;

/**
 * Writes a raw image as qcow2. The same image gives the same bytes.
 *
 * @param raw its size is a whole number of sectors of 512 bytes
 */
export function writeQcow2(raw: string, target: string): void {
  const source = openSync(raw, 'r');
  const file = openSync(target, 'w', 0o644);
  try {
    const sizeBytes = fstatSync(source).size;
    const tables = Math.ceil(sizeBytes / clusterBytes / perTable);
    const firstLevelClusters = Math.max(1, Math.ceil((tables * entryBytes) / clusterBytes));
    const firstLevel = Buffer.alloc(firstLevelClusters * clusterBytes);
    // The header, the table of the first level, and then the tables of the second level, each before its data.
    let next = 1 + firstLevelClusters;
    const put = (cluster: number, bytes: Buffer) => writeWhole(file, bytes, cluster * clusterBytes);
    for (let table = 0; table < tables; table += 1) {
      const second = Buffer.alloc(clusterBytes);
      const place = next;
      let used = next + 1;
      for (let entry = 0; entry < perTable; entry += 1) {
        const content = readCluster(source, (table * perTable + entry) * clusterBytes);
        if (content === undefined) continue;
        second.writeBigUInt64BE(BigInt(used * clusterBytes) | copied, entry * entryBytes);
        put(used, content);
        used += 1;
      }
      if (used === place + 1) continue;
      put(place, second);
      firstLevel.writeBigUInt64BE(BigInt(place * clusterBytes) | copied, table * entryBytes);
      next = used;
    }
    put(1, firstLevel);
    const counts = writeCounts(next, put);
    put(0, encodeHeader({ sizeBytes, tables, ...counts }));
  } finally {
    closeSync(source);
    closeSync(file);
  }
}

/** Every cluster before `used` is used once, and those of the counts themselves. */
function writeCounts(used: number, put: (cluster: number, bytes: Buffer) => void) {
  let [blocks, tableClusters] = [1, 1];
  for (;;) {
    const all = used + blocks + tableClusters;
    const neededBlocks = Math.ceil(all / perCounts);
    const neededClusters = Math.ceil((neededBlocks * entryBytes) / clusterBytes);
    if (neededBlocks === blocks && neededClusters === tableClusters) break;
    [blocks, tableClusters] = [neededBlocks, neededClusters];
  }
  const all = used + blocks + tableClusters;
  const table = Buffer.alloc(tableClusters * clusterBytes);
  for (let block = 0; block < blocks; block += 1) {
    const place = used + tableClusters + block;
    table.writeBigUInt64BE(BigInt(place * clusterBytes), block * entryBytes);
    const counts = Buffer.alloc(clusterBytes);
    const own = Math.min(perCounts, all - block * perCounts);
    for (let entry = 0; entry < own; entry += 1) counts.writeUInt16BE(1, entry * countBytes);
    put(place, counts);
  }
  put(used, table);
  return { countsAt: used, countClusters: tableClusters };
}

interface Header {
  readonly sizeBytes: number;
  readonly tables: number;
  readonly countsAt: number;
  readonly countClusters: number;
}

function encodeHeader({ sizeBytes, tables, countsAt, countClusters }: Header): Buffer {
  const header = Buffer.alloc(clusterBytes);
  header.write('QFI\xfb', 0, 'latin1');
  for (const [at, value] of [
    [4, 3],
    [20, clusterBits],
    [36, tables],
    [56, countClusters],
    [96, Math.log2(countBytes * 8)],
    [100, headerBytes],
  ] as const)
    header.writeUInt32BE(value, at);
  for (const [at, value] of [
    [24, sizeBytes],
    [40, clusterBytes],
    [48, countsAt * clusterBytes],
  ] as const)
    header.writeBigUInt64BE(BigInt(value), at);
  return header;
}

const zeros = Buffer.alloc(clusterBytes);

/** Undefined for zeros, and behind the end. */
function readCluster(file: number, at: number): Buffer | undefined {
  const cluster = Buffer.alloc(clusterBytes);
  const got = readSync(file, cluster, 0, clusterBytes, at);
  return got === 0 || cluster.equals(zeros) ? undefined : cluster;
}

function writeWhole(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
}
