import type { NamespaceName } from '../container-runtime.ts';

/** Labels of the engine that say which container of which node it is. The stack gives them to apid and trustd too. */
export const ownLabels = {
  cluster: 'nodewright.cluster',
  node: 'nodewright.node',
  namespace: 'nodewright.namespace',
  container: 'nodewright.container',
  image: 'nodewright.image',
  /** Labels of the contract, as JSON. */
  labels: 'nodewright.labels',
} as const;

/** Whose the things in the engine are: others are not seen. */
export interface Scope {
  /** The cluster's name, which is unique in an engine. */
  readonly cluster: string;
  readonly node: string;
}

/** What a container of the node carries. */
export function containerLabels(scope: Scope, namespace: NamespaceName, id: string): Record<string, string> {
  return { ...namespaceLabels(scope, namespace), [ownLabels.container]: id };
}

/** What all containers of a node's namespace carry, and no others. */
export function namespaceLabels({ cluster, node }: Scope, namespace: NamespaceName): Record<string, string> {
  return { [ownLabels.cluster]: cluster, [ownLabels.node]: node, [ownLabels.namespace]: namespace };
}

/** The engine's filter for the containers of a namespace, or for one of them. */
export function ownFilter(scope: Scope, namespace: NamespaceName, id?: string): { label: string[] } {
  const wanted = id === undefined ? namespaceLabels(scope, namespace) : containerLabels(scope, namespace, id);
  return { label: Object.entries(wanted).map(([name, value]) => `${name}=${value}`) };
}

/** A container's name in the engine, which knows it once only: so an id is taken once. */
export function engineName({ cluster, node }: Scope, namespace: NamespaceName, id: string): string {
  return `${cluster}-${node}-${namespace}-${id}`;
}
