import type { ClusterShape } from './cluster-shape.ts';

const mebibyte = 1024 ** 2;
/** Measured: API server, controller manager, scheduler, etcd and the daemons of one control plane (SPEC.md). */
const controlPlaneBytes = 450 * mebibyte;
/** The daemons of a worker. */
const workerBytes = 60 * mebibyte;

/**
 * Why Kubernetes on a cluster of this shape does not fit into the memory, with the figures; `undefined` when it fits.
 *
 * @param meminfo the content of `/proc/meminfo`
 */
export function memoryProblem({ controlPlanes, workers }: ClusterShape, meminfo: string): string | undefined {
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? Number.NaN) * 1024;
  const needed = controlPlanes * controlPlaneBytes + workers * workerBytes;
  // A kernel that does not say how much is available decides nothing.
  if (!(available < needed)) return undefined;
  const shown = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;
  return `Kubernetes on ${controlPlanes} control planes and ${workers} workers needs about ${shown(needed)} of memory (${shown(controlPlaneBytes)} for each control plane), and ${shown(available)} are available: use fewer control planes`;
}
