import type { PlannedNode } from './cluster-shape.ts';

export interface WaitFacts {
  readonly nodes: readonly PlannedNode[];
  /** The endpoints of the control planes, in their order. */
  readonly endpoints: readonly string[];
  isAwaited(name: string): boolean;
  /** Whether the node was reset: it waits for a configuration, and accepts no client certificate. */
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
 * Decides which nodes to wait for, and through which endpoint each is called. Control planes are called at
 * their own endpoints. Workers do not forward calls, so they are called through the first awaited control
 * plane.
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
