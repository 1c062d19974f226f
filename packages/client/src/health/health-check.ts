import type { NodeClient } from '../node-client.ts';

/** The nodes that a cluster should have, by address. */
export interface ClusterNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** What checks see of a cluster. */
export interface CheckedCluster {
  readonly nodes: ClusterNodes;
  node(address: string): NodeClient;
}

/** What a check found: that its part is well, or that the cluster has no such part, and why it is thought so. */
export type CheckOutcome = { readonly kind: 'ok' } | { readonly kind: 'skip'; readonly because: string };

/** One question about a cluster. */
export interface HealthCheck {
  /** As it stands in `waiting for <name>: ...`. Source: Talos v1.14: health. */
  readonly name: string;
  /** @throws why the part is not well (yet) */
  readonly run: (cluster: CheckedCluster, signal: AbortSignal) => Promise<CheckOutcome>;
}

export const ok: CheckOutcome = { kind: 'ok' };

export function skip(because: string): CheckOutcome {
  return { kind: 'skip', because };
}

/** Asks each of the nodes at once; the first failure in their order is thrown, with the name of its node. */
export async function askEach<T>(
  cluster: CheckedCluster,
  addresses: readonly string[],
  ask: (node: NodeClient) => Promise<T>,
): Promise<Map<string, T>> {
  const answers = await Promise.allSettled(addresses.map((address) => ask(cluster.node(address))));
  const found = new Map<string, T>();
  for (const [at, answer] of answers.entries()) {
    if (answer.status === 'rejected') throw answer.reason;
    found.set(addresses[at] as string, answer.value);
  }
  return found;
}

export function everyNode({ nodes }: CheckedCluster): readonly string[] {
  return [...nodes.controlPlanes, ...nodes.workers];
}
