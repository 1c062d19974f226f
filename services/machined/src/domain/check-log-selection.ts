import { Fault } from '@nodewright/fault';

/** The fields of a Logs request that decide where its lines come from. */
export interface LogSelection {
  readonly namespace: string;
  readonly id: string;
  readonly driver: number;
}

const containerdDriver = 0;
const criDriver = 1;
const systemNamespace = 'system';
const kubernetesNamespace = 'k8s.io';

/**
 * Whether `selection` names a log of this node's own services. Logs of containers come from a runtime, and this node
 * has none. Source: Talos v1.14: Logs.
 *
 * @throws Fault in the words of the reference for what is not that.
 */
export function checkLogSelection({ namespace, id, driver }: LogSelection): void {
  if (namespace === systemNamespace || id === 'kubelet') return;
  if (namespace === '') throw new Fault('invalid-argument', "namespace can't be empty");
  if (driver !== containerdDriver && driver !== criDriver) {
    throw new Fault('invalid-argument', `unsupported driver "${driver}"`);
  }
  if (driver === criDriver && namespace !== kubernetesNamespace) {
    throw new Fault('unknown', 'CRI inspector is supported only for K8s namespace');
  }
  throw new Fault('unknown', `container "${id}" not found: no container runtime runs on this node`);
}
