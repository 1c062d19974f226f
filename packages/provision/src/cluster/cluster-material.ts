import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { ConfigPatches } from '../domain/provisioner.ts';

export interface NodeConfigRequest {
  readonly clusterName: string;
  readonly node: PlannedNode;
  /** The URL of the Kubernetes API. */
  readonly endpoint: string;
  /** `address:port` of the cluster's time server; `undefined` for nodes whose host sets the clock. */
  readonly timeServer: string | undefined;
  /** Further addresses at which clients reach the node. */
  readonly certSans: readonly string[];
  readonly patches: ConfigPatches;
  /** The version of Kubernetes, without `v`; absent for a cluster without Kubernetes. */
  readonly kubernetesVersion?: string | undefined;
  /** Whether control planes run the pods of users as well. */
  readonly runsUserPods?: boolean;
  /** The port of its API on the nodes; by default the usual one. */
  readonly kubernetesPort?: number | undefined;
}

/** The secrets of one cluster, and the files that are generated from them. */
export interface ClusterMaterial {
  /** The content of `secrets.yaml`. */
  readonly secrets: string;
  /** Returns a node's machine configuration. Throws a Fault when a patch cannot be applied. */
  nodeConfig(request: NodeConfigRequest): string;
  /** Returns a talosconfig with these endpoints and an administrator's certificate. */
  talosconfig(clusterName: string, endpoints: readonly string[]): Promise<string>;
}

/** The files of a new cluster. All of them hold keys. */
export interface ClusterFiles {
  readonly secrets: string;
  readonly talosconfig: string;
  /** Machine configurations by the name of the node. */
  readonly configurations: ReadonlyMap<string, string>;
}

/** Generates new secrets. This may take seconds, because it searches for primes. */
export type MakeClusterMaterial = () => Promise<ClusterMaterial>;
