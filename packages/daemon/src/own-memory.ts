import { readFileSync } from 'node:fs';

const pagesPath = '/proc/self/statm';

/**
 * Resident memory of this process in bytes, without the pages that show a file. Those of the Node.js binary come and go as
 * `releaseMemory()` unmaps them, and say nothing about a burst of work. All resident memory where the kernel's figures
 * cannot be read.
 *
 * Source: proc(5).
 */
export function ownMemoryBytes(): number {
  const residentBytes = process.memoryUsage.rss();
  try {
    const [, resident = 0, ofFiles = 0] = readFileSync(pagesPath, 'latin1').split(' ').map(Number);
    return residentBytes * (1 - ofFiles / resident);
  } catch {
    return residentBytes;
  }
}
