// Selects the containers of a call and determines their wire names. Source: Talos v1.14: Containers, Stats,
// Logs.
import type { ContainerInfo, NamespaceName } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { containerDrivers } from '../../base/domain/container-drivers.ts';

/** The fields by which calls select a runtime. */
export interface ContainerSelection {
  readonly namespace: string;
  readonly driver: number;
}

const systemNamespace = 'system';
const kubernetesNamespace = 'k8s.io';

/** Labels that Kubernetes runtimes set on their containers. */
const podNamespaceLabel = 'io.kubernetes.pod.namespace';
const podNameLabel = 'io.kubernetes.pod.name';
const podContainerLabel = 'io.kubernetes.container.name';

/**
 * Whether a call selects the containers of Kubernetes through the CRI. A node without Kubernetes returns an
 * empty list for them, because an error would make upstream `talosctl support` stop early.
 */
export const isOfKubernetes = ({ namespace, driver }: ContainerSelection): boolean =>
  driver === containerDrivers.cri && namespace === kubernetesNamespace;

/**
 * Returns the containerd namespace of a call.
 *
 * @param hasKubelet whether a kubelet runs pods on this node, through the CRI of its runtime
 * @throws Fault with the message of Talos for values that are always invalid, `unavailable` when this node
 * has no CRI
 */
export function selectNamespace(
  { namespace, driver }: ContainerSelection,
  hasKubelet: boolean,
): NamespaceName {
  if (namespace === '') throw new Fault('invalid-argument', "namespace can't be empty");
  if (driver === containerDrivers.cri) {
    if (namespace !== kubernetesNamespace)
      throw new Fault('unknown', 'CRI inspector is supported only for K8s namespace');
    if (hasKubelet) return kubernetesNamespace;
    throw new Fault('unavailable', 'this node does not run Kubernetes and has no CRI');
  }
  if (driver !== containerDrivers.containerd)
    throw new Fault('invalid-argument', `unsupported driver "${driver}"`);
  if (namespace === systemNamespace || namespace === kubernetesNamespace) return namespace;
  throw new Fault('not-found', `namespace "${namespace}" does not exist: use "system" or "k8s.io"`);
}

/** The names of a container on the wire. */
export interface ContainerNames {
  /** `namespace/pod:container` in Kubernetes, `namespace/pod` for the sandbox of a pod, otherwise the id. */
  readonly id: string;
  readonly podId: string;
  readonly name: string;
}

export function containerNames({ id, labels }: Pick<ContainerInfo, 'id' | 'labels'>): ContainerNames {
  const namespace = labels[podNamespaceLabel];
  const pod = labels[podNameLabel];
  if (namespace === undefined || pod === undefined) return { id, podId: id, name: id };
  const podId = `${namespace}/${pod}`;
  const name = labels[podContainerLabel];
  return name === undefined ? { id: podId, podId, name: podId } : { id: `${podId}:${name}`, podId, name };
}

/** Finds a container by its wire name or its id. @throws Fault when there is none */
export function requireContainer(found: readonly ContainerInfo[], wanted: string): ContainerInfo {
  const container = found.find((info) => info.id === wanted || containerNames(info).id === wanted);
  if (container === undefined) throw new Fault('unknown', `container "${wanted}" not found`);
  return container;
}
