import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { Fault } from '@nodewright/fault';

/** The entry of the auxiliary vector that holds the page size; see getauxval(3). */
const atPageSize = 6n;
const wordBytes = 8;

/**
 * The size of a memory page in an auxiliary vector of 64-bit words, or undefined when it has no such entry.
 */
export function pageSizeFromAuxv(vector: Uint8Array, byteOrder: 'LE' | 'BE'): number | undefined {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength);
  const isLittle = byteOrder === 'LE';
  for (let offset = 0; offset + 2 * wordBytes <= vector.byteLength; offset += 2 * wordBytes) {
    if (view.getBigUint64(offset, isLittle) === atPageSize) {
      return Number(view.getBigUint64(offset + wordBytes, isLittle));
    }
  }
  return undefined;
}

/**
 * The kernel's page size in bytes. Node.js does not report it, and arm64 kernels use 4, 16 or 64 KiB.
 *
 * @throws Fault when this process has no readable auxiliary vector.
 */
export function readPageSizeBytes(): number {
  const pageSize = pageSizeFromAuxv(readFileSync('/proc/self/auxv'), endianness());
  if (pageSize === undefined) throw new Fault('internal', 'no page size in "/proc/self/auxv"');
  return pageSize;
}
