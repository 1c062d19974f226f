import type { BenchCluster, BenchNode } from './cluster.ts';
import { readPeakMemory, readProcessMemory } from './process-memory.ts';
import type { MemoryResult } from './report/bench-results.ts';
import type { PeerGateways } from './request-targets.ts';

/** Reads the memory of the measured daemons. The returned function reads it again and returns both. */
export function watchMemory(cluster: BenchCluster, peers: PeerGateways): () => MemoryResult[] {
  const before = watchedProcesses(cluster, peers).map((watched) => ({
    ...watched,
    idle: readProcessMemory(watched.pid),
  }));
  return () =>
    before.map(({ process, pid, idle }) => ({
      process,
      idle,
      after: readProcessMemory(pid),
      peak: readPeakMemory(pid),
    }));
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
