import { type ClusterShape, describeShape } from './cluster-shape.ts';

const mebibyte = 1024 ** 2;

/** Measured (docs/measurements/budgets.md): images unpacked by containerd, logs and the data of etcd, a minute after the start. */
const nodeDisk = { controlPlane: 750 * mebibyte, worker: 600 * mebibyte } as const;
/** Their image: its archive, and its layers in the engine. */
const imageDisk = 600 * mebibyte;

/**
 * Why the disk space of an engine does not suffice for Kubernetes on containers of this shape, with the figures; `undefined` when it
 * does.
 */
export function diskProblem(shape: ClusterShape, freeBytes: number): string | undefined {
  const { controlPlanes, workers } = shape;
  const needed = imageDisk + controlPlanes * nodeDisk.controlPlane + workers * nodeDisk.worker;
  if (freeBytes >= needed) return undefined;
  const shown = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;
  return `Kubernetes on ${describeShape(shape)} needs about ${shown(needed)} of disk space for the Docker engine, and ${shown(freeBytes)} are free: remove what the engine does not need (docker system df), or use fewer nodes`;
}
