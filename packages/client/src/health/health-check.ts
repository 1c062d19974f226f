import type { KubernetesApi } from '../kubeconfig/kubernetes-api.ts';
import type { NodeClient } from '../node-client.ts';

/** The nodes that a cluster is expected to have, by address. */
export interface ClusterNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** The access to the cluster that a check has. */
export interface CheckedCluster {
  readonly nodes: ClusterNodes;
  node(address: string): NodeClient;
  /**
   * The API of Kubernetes. It stays open for the checks that follow.
   *
   * @throws Fault `failed-precondition` when the cluster has none, `permission-denied` when the caller may not get credentials
   */
  kubernetes(signal: AbortSignal): Promise<KubernetesApi>;
}

/** The result of a check that did not fail: passed, or skipped with the reason. */
export type CheckOutcome = { readonly kind: 'ok' } | { readonly kind: 'skip'; readonly because: string };

/** A check of one property of the cluster. */
export interface HealthCheck {
  /** The name in the line `waiting for <name>: ...`. Source: Talos v1.14: health. */
  readonly name: string;
  /** @throws an error that says why the check does not pass yet */
  readonly run: (cluster: CheckedCluster, signal: AbortSignal) => Promise<CheckOutcome>;
}

export const ok: CheckOutcome = { kind: 'ok' };

export function skip(because: string): CheckOutcome {
  return { kind: 'skip', because };
}

/** Calls all the nodes at once. Throws the first failure, in the order of the addresses. */
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

export const everyNode = ({ nodes }: Pick<CheckedCluster, 'nodes'>): readonly string[] => everyAddress(nodes);

export const everyAddress = ({ controlPlanes, workers }: ClusterNodes): readonly string[] => [
  ...controlPlanes,
  ...workers,
];
