import { type ClusterShape, describeShape } from './cluster-shape.ts';

const mebibyte = 1024 ** 2;

/** Bytes that each node needs. */
export interface NodeMemory {
  readonly controlPlane: number;
  readonly worker: number;
}

/**
 * Measured: API server, controller manager, scheduler, etcd and the daemons of one control plane
 * (docs/measurements/budgets.md), and the daemons of a worker.
 */
export const processMemory: NodeMemory = { controlPlane: 450 * mebibyte, worker: 60 * mebibyte };
/** The same with containerd, the kubelet and pods. */
export const containerMemory: NodeMemory = { controlPlane: 800 * mebibyte, worker: 250 * mebibyte };
/** What the emulator of such a machine takes of this host, with 4 GiB for the machine: most of them, because its kernel caches files. */
export const machineMemory: NodeMemory = { controlPlane: 4096 * mebibyte, worker: 4096 * mebibyte };

/**
 * Why Kubernetes on a cluster of this shape does not fit into the memory, with the figures; `undefined` when it fits.
 *
 * @param meminfo the content of `/proc/meminfo`
 */
export function memoryProblem(shape: ClusterShape, memory: NodeMemory, meminfo: string): string | undefined {
  const { controlPlanes, workers } = shape;
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? Number.NaN) * 1024;
  const needed = controlPlanes * memory.controlPlane + workers * memory.worker;
  // A kernel that does not say how much is available decides nothing.
  if (!(available < needed)) return undefined;
  const shown = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;
  return `Kubernetes on ${describeShape(shape)} needs about ${shown(needed)} of memory (${shown(memory.controlPlane)} for each control plane), and ${shown(available)} are available${controlPlanes > 1 ? ': use fewer control planes' : ''}`;
}
