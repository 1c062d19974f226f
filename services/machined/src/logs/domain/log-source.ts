import { Fault } from '@nodewright/fault';
import { containerDrivers } from '../../base/domain/container-drivers.ts';

/** The fields of a Logs request that select the log. */
export interface LogSelection {
  readonly namespace: string;
  readonly id: string;
  readonly driver: number;
}

const systemNamespace = 'system';
const kubernetesNamespace = 'k8s.io';

/**
 * Decides where a requested log comes from: memory, for the node's own services, or a container.
 * Source: Talos v1.14: Logs.
 *
 * @throws Fault with upstream's message when there is no such log
 */
export function logSourceOf({ namespace, id, driver }: LogSelection): 'memory' | 'container' {
  if (namespace === systemNamespace || id === 'kubelet') return 'memory';
  if (namespace === '') throw new Fault('invalid-argument', "namespace can't be empty");
  if (driver === containerDrivers.cri) {
    if (namespace !== kubernetesNamespace)
      throw new Fault('unknown', 'CRI inspector is supported only for K8s namespace');
    return 'container';
  }
  if (driver === containerDrivers.containerd) return 'container';
  throw new Fault('invalid-argument', `unsupported driver "${driver}"`);
}
