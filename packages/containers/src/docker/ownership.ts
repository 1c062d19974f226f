import type { NamespaceName } from '../container-runtime.ts';

/** Labels that identify the node and the id of a container. The stack sets them on apid and trustd too. */
export const ownLabels = {
  cluster: 'nodewright.cluster',
  node: 'nodewright.node',
  namespace: 'nodewright.namespace',
  container: 'nodewright.container',
  image: 'nodewright.image',
  /** The labels of the contract, as JSON. */
  labels: 'nodewright.labels',
} as const;

/** The owner of containers in the engine: containers of other owners are ignored. */
export interface Scope {
  /** Name of the cluster, unique in an engine. */
  readonly cluster: string;
  readonly node: string;
}

/** The labels of a container of the node. */
export function containerLabels(scope: Scope, namespace: NamespaceName, id: string): Record<string, string> {
  return { ...namespaceLabels(scope, namespace), [ownLabels.container]: id };
}

/** The labels that all containers of a namespace of the node have, and no others. */
export function namespaceLabels({ cluster, node }: Scope, namespace: NamespaceName): Record<string, string> {
  return { [ownLabels.cluster]: cluster, [ownLabels.node]: node, [ownLabels.namespace]: namespace };
}

/** The engine's filter for the containers of a namespace, or for one of them. */
export function ownFilter(scope: Scope, namespace: NamespaceName, id?: string): { label: string[] } {
  const wanted = id === undefined ? namespaceLabels(scope, namespace) : containerLabels(scope, namespace, id);
  return { label: Object.entries(wanted).map(([name, value]) => `${name}=${value}`) };
}

/** The name of a container in the engine. Names are unique there, which makes ids unique. */
export function engineName({ cluster, node }: Scope, namespace: NamespaceName, id: string): string {
  return `${cluster}-${node}-${namespace}-${id}`;
}
