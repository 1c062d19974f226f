import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { ConfigPatches } from '../provisioner.ts';

export interface NodeConfigRequest {
  readonly clusterName: string;
  readonly node: PlannedNode;
  /** URL of the Kubernetes control plane. */
  readonly endpoint: string;
  /** `address:port` of the cluster's time server. */
  readonly timeServer: string;
  /** Addresses under which the node is reached besides its own. */
  readonly certSans: readonly string[];
  readonly patches: ConfigPatches;
}

/** The secrets of one cluster and what is made of them. */
export interface ClusterMaterial {
  /** Text of `secrets.yaml`. */
  readonly secrets: string;
  /** Text of a node's machine configuration. Throws a Fault when a patch does not fit. */
  nodeConfig(request: NodeConfigRequest): string;
  /** Text of a talosconfig with an administrator's certificate and these endpoints. */
  talosconfig(clusterName: string, endpoints: readonly string[]): Promise<string>;
}

/** Makes fresh secrets; takes as long as finding primes does. */
export type MakeClusterMaterial = () => Promise<ClusterMaterial>;
