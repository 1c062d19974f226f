import { readFile } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import type { ClusterShape } from '../domain/cluster-shape.ts';
import { memoryProblem, processMemory } from '../domain/kubernetes-memory.ts';
import { notBuilt } from './find-kubernetes.ts';
import type { ProcessPrograms } from './programs.ts';

/**
 * Checks that this machine can run Kubernetes on nodes of this shape.
 *
 * @throws Fault `failed-precondition` when its programs or those of etcd are missing, `resource-exhausted` with the figures
 * when the memory does not suffice
 */
export async function checkKubernetes(
  shape: ClusterShape,
  { kubernetes, etcd }: Pick<ProcessPrograms, 'kubernetes' | 'etcd'>,
): Promise<void> {
  if (kubernetes === undefined) throw notBuilt();
  if (etcd === undefined)
    throw new Fault('failed-precondition', 'Kubernetes needs etcd, which is not installed: run make etcd');
  const problem = memoryProblem(shape, processMemory, await readFile('/proc/meminfo', 'utf8'));
  if (problem !== undefined) throw new Fault('resource-exhausted', problem);
}
