import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCluster, BenchNode } from './cluster.ts';
import { median } from './median.ts';
import { type ProcessMemory, readPeakMemory, readProcessMemory } from './process-memory.ts';
import type { MemoryResult } from './report/bench-results.ts';
import type { PeerGateways } from './request-targets.ts';

/**
 * How often memory is read while a level is taken, in milliseconds. A daemon at rest returns memory every minute or two, and maps and
 * allocates some of it again between: machined beside 15 other nodes has 51 to 66 MB. So one reading says little.
 */
const readingMs = 5000;

/** The memory of a process over some time. */
export interface MemoryLevel extends Pick<ProcessMemory, 'rss' | 'uss'> {
  /** The lowest and the highest resident memory; `rss` and `uss` are medians. */
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Follows the memory of the measured daemons for `levelMs`. The returned function does that again, and returns both levels.
 *
 * @param levelMs 0: one reading
 */
export async function watchMemory(
  cluster: BenchCluster,
  peers: PeerGateways,
  levelMs: number,
  signal: AbortSignal,
): Promise<(levelMs: number) => Promise<MemoryResult[]>> {
  const processes = watchedProcesses(cluster, peers);
  const pids = processes.map(({ pid }) => pid);
  const idle = await levelsOf(pids, levelMs, signal);
  return async (afterMs) => {
    const after = await levelsOf(pids, afterMs, signal);
    return processes.map(({ process, pid }, index) => ({
      process,
      idle: idle[index] as MemoryLevel,
      after: after[index] as MemoryLevel,
      peak: readPeakMemory(pid),
    }));
  };
}

/** In the order of `pids`. */
async function levelsOf(
  pids: readonly number[],
  levelMs: number,
  signal: AbortSignal,
): Promise<MemoryLevel[]> {
  const readings: ProcessMemory[][] = pids.map(() => []);
  const read = () => pids.forEach((pid, index) => void readings[index]?.push(readProcessMemory(pid)));
  read();
  for (let passedMs = readingMs; passedMs <= levelMs; passedMs += readingMs) {
    await sleep(readingMs, undefined, { signal });
    read();
  }
  return readings.map(levelOf);
}

/** Throws without readings. */
export function levelOf(readings: readonly ProcessMemory[]): MemoryLevel {
  const resident = readings.map(({ rss }) => rss);
  return {
    rss: median(resident),
    uss: median(readings.map(({ uss }) => uss)),
    lowest: Math.min(...resident),
    highest: Math.max(...resident),
  };
}

function watchedProcesses({ nodes }: BenchCluster, { nghttpx, goProxy }: PeerGateways) {
  const [first, second] = nodes as [BenchNode, BenchNode];
  const ofNode = ({ name, pids }: BenchNode) => [
    { process: `machined of ${name}`, pid: pids.machined },
    { process: `apid of ${name}`, pid: pids.apid },
    ...(pids.trustd === undefined ? [] : [{ process: `trustd of ${name}`, pid: pids.trustd }]),
  ];
  const ofPeers = [
    ...(nghttpx === undefined
      ? []
      : [
          { process: 'nghttpx before machined', pid: nghttpx.near.pid },
          { process: 'nghttpx before nghttpx', pid: nghttpx.entry.pid },
        ]),
    ...(goProxy === undefined ? [] : [{ process: 'Go proxy before machined', pid: goProxy.pid }]),
  ];
  return [...ofNode(first), ...ofNode(second), ...ofPeers];
}
