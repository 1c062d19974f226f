import type { PlannedNode } from './cluster-shape.ts';

export interface WaitFacts {
  readonly nodes: readonly PlannedNode[];
  /** Of the control planes, in their order. */
  readonly endpoints: readonly string[];
  isAwaited(name: string): boolean;
  /** Whether it was reset: it has nothing to be asked with, and waits for a configuration. */
  isWiped(name: string): boolean;
}

export interface PlannedWait {
  readonly wiped: readonly PlannedNode[];
  readonly awaited: readonly {
    readonly node: PlannedNode;
    readonly endpoint: string;
    /** Whether the endpoint is the node's own apid. */
    readonly isDirect: boolean;
  }[];
}

/**
 * Which nodes are waited for, and through whom: control planes at their own endpoints, workers through the first
 * control plane that is waited for, as workers do not forward.
 */
export function planWait({ nodes, endpoints, isAwaited, isWiped }: WaitFacts): PlannedWait {
  const wiped = nodes.filter(({ name }) => isWiped(name));
  const awaited = nodes.filter((node) => isAwaited(node.name) && !wiped.includes(node));
  const controlPlanes = nodes.filter(({ type }) => type === 'controlplane');
  const endpointOf = (node: PlannedNode) => endpoints[controlPlanes.indexOf(node)];
  const first = awaited.find(({ type }) => type === 'controlplane');
  const entrance = first === undefined ? undefined : endpointOf(first);
  const through = entrance ?? (wiped.length === 0 ? endpoints[0] : undefined);
  if (through === undefined) return { wiped, awaited: [] };
  return {
    wiped,
    awaited: awaited.map((node) => {
      const own = endpointOf(node);
      return { node, endpoint: own ?? through, isDirect: own !== undefined };
    }),
  };
}
