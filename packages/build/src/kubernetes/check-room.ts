import { readFileSync, statfsSync } from 'node:fs';

/** What a build needs. */
export interface BuildCost {
  /** Memory at its peak. */
  readonly memoryBytes: number;
  /** Disk space for sources and intermediate results. */
  readonly diskBytes: number;
  /** Size of the result. */
  readonly sizeBytes: number;
  /** Minutes of one core. */
  readonly minutes: number;
}

export interface Room {
  readonly availableMemoryBytes: number;
  readonly freeDiskBytes: number;
}

/** Why there is no room for a build, with the figures; `undefined` when there is. */
export function roomProblem(name: string, cost: BuildCost, room: Room): string | undefined {
  const lacks = [
    room.availableMemoryBytes < cost.memoryBytes &&
      `${gibibytes(cost.memoryBytes)} of memory, and ${gibibytes(room.availableMemoryBytes)} are available`,
    room.freeDiskBytes < cost.diskBytes &&
      `${gibibytes(cost.diskBytes)} of disk space for the cache of Go, and ${gibibytes(room.freeDiskBytes)} are free`,
  ].filter((text) => text !== false);
  return lacks.length === 0 ? undefined : `building ${name} needs ${lacks.join('; ')}`;
}

/** The room on this machine. `folder` is one that exists, on the disk of the cache of Go. */
export function readRoom(folder: string): Room {
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  const { bavail, bsize } = statfsSync(folder);
  return { availableMemoryBytes: Number(available ?? 0) * 1024, freeDiskBytes: bavail * bsize };
}

export const gibibytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
