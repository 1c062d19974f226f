import { readFileSync } from 'node:fs';

const pagesPath = '/proc/self/statm';

/**
 * Resident memory of this process in bytes that is not mapped from a file: heaps, buffers and stacks. Pages that are mapped from
 * the Node.js binary do not count, because `releaseMemory()` unmaps them and the next use maps them again, whatever work the
 * daemon had. Where the kernel's figures cannot be read, this is all resident memory.
 *
 * Source: proc(5).
 */
export function anonymousMemoryBytes(): number {
  const residentBytes = process.memoryUsage.rss();
  try {
    const [, resident = 0, ofFiles = 0] = readFileSync(pagesPath, 'latin1').split(' ').map(Number);
    return residentBytes * (1 - ofFiles / resident);
  } catch {
    return residentBytes;
  }
}
