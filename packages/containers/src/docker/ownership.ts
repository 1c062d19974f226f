import type { Labels, NamespaceName } from '../container-runtime.ts';

/** Labels of the engine that say which container of which node it is. The stack gives them to apid and trustd too. */
export const ownLabels = {
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
  /** Carried by everything of the cluster, by which whoever removes the cluster finds it. */
  readonly clusterLabels: Labels;
}

/** What a container of the node carries. */
export function containerLabels(scope: Scope, namespace: NamespaceName, id: string): Record<string, string> {
  return {
    ...scope.clusterLabels,
    [ownLabels.node]: scope.node,
    [ownLabels.namespace]: namespace,
    [ownLabels.container]: id,
  };
}

/** The engine's filter for the containers of a namespace, or for one of them. */
export function ownFilter(scope: Scope, namespace: NamespaceName, id?: string): { label: string[] } {
  const wanted = {
    ...scope.clusterLabels,
    [ownLabels.node]: scope.node,
    [ownLabels.namespace]: namespace,
    ...(id === undefined ? {} : { [ownLabels.container]: id }),
  };
  return { label: Object.entries(wanted).map(([name, value]) => `${name}=${value}`) };
}

/** A container's name in the engine, which knows it once only: so an id is taken once. */
export function engineName({ cluster, node }: Scope, namespace: NamespaceName, id: string): string {
  return `${cluster}-${node}-${namespace}-${id}`;
}
