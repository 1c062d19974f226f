import { closeSync, openSync, readSync } from 'node:fs';
import { decodeEntryHead, logSectorBytes } from './write-log.ts';

/** Counts the entries of a log that QEMU is still writing. */
export interface LogFollower extends Disposable {
  /** Entries that have been recorded until now. */
  count(): number;
}

export function followWriteLog(path: string): LogFollower {
  const file = openSync(path, 'r');
  const sector = Buffer.alloc(logSectorBytes);
  let next = logSectorBytes;
  let found = 0;
  return {
    count() {
      for (;;) {
        const length = readSync(file, sector, 0, logSectorBytes, next);
        const head = decodeEntryHead(sector.subarray(0, length));
        if (head === undefined) return found;
        next += logSectorBytes + head.dataBytes;
        found += 1;
      }
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}
