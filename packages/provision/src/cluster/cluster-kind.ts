// The port between the actions on a cluster, which are the same for all kinds, and the place where its nodes
// run. A provisioner only has to implement ClusterKind.

import type { Fault } from '@nodewright/fault';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { ClusterState, StatefulProvisioner } from '../domain/cluster-state.ts';
import type {
  ClusterRequest,
  ClusterView,
  DestroyPlan,
  LogLine,
  LogRequest,
  NodeView,
  Progress,
} from '../domain/provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterFiles, ClusterMaterial } from './cluster-material.ts';
import type { CreateParts, Creation } from './creation.ts';

/** One way to run the nodes of a cluster. */
export interface ClusterKind<Parts extends CreateParts> {
  readonly provisioner: StatefulProvisioner;
  /** Throws a Fault for a cluster that this kind cannot create. Runs before anything is created. */
  checkRequest(request: ClusterRequest, parts: Parts): Promise<void>;
  /** @param state `undefined` when the stored state is damaged */
  openHost(folder: ClusterFolder, state: ClusterState | undefined): NodeHost;
  /**
   * @param state the state of a complete cluster; `undefined` for a new cluster
   * @param undo runs the cleanups registered here if the action fails before the keeper is released
   */
  openLauncher(
    creation: Creation<Parts>,
    state: ClusterState | undefined,
    undo: AsyncDisposableStack,
  ): NodeLauncher;
}

/** Inspects, stops and removes the nodes of a cluster. Does not need the nodes' programs. */
export interface NodeHost {
  /** Throws a Fault `failed-precondition` when the nodes cannot be inspected. */
  require(): Promise<void>;
  /** Returns the current state of the nodes. */
  look(state: ClusterState, supervisorPid: number | undefined): Promise<HostView>;
  /** Stops every node and the keeper, and keeps the data. */
  stop(state: ClusterState, progress: Progress): Promise<void>;
  /** Stops one node. The keeper and the other nodes go on. */
  stopNode(
    state: ClusterState,
    node: string,
    supervisorPid: number | undefined,
    progress: Progress,
  ): Promise<void>;
  /**
   * Stops everything that runs, and removes what lies outside of the cluster's folder. With `graceful`, the
   * nodes get time to stop before they are killed.
   */
  remove(name: string, options: { readonly graceful: boolean; readonly progress: Progress }): Promise<void>;
  /** The `host:port` at which this host reaches the node's own apid; `undefined` when it cannot. */
  apiOf(state: ClusterState, node: PlannedNode): Promise<string | undefined>;
  /** Counts the objects of the cluster outside of its folder, to be shown to the user. */
  countObjects(): Promise<DestroyPlan['objects']>;
  logs(
    state: ClusterState,
    nodes: readonly PlannedNode[],
    request: Pick<LogRequest, 'follow' | 'signal'>,
  ): AsyncIterable<LogLine>;
}

export interface HostView {
  readonly isRunning: boolean;
  readonly nodes: readonly NodeView[];
  readonly jaeger?: ClusterView['jaeger'];
}

/** Starts the nodes of a cluster, as part of one action. */
export interface NodeLauncher {
  /** Returns the parts of the state that only this kind of cluster has, before anything is created. */
  draft(): Pick<ClusterState, 'stack' | 'machine'>;
  /**
   * Chooses addresses and creates the environment of the nodes. It must register its cleanup on `undo` before
   * its first await, because the cleanup may run while this call is in progress.
   */
  place(draft: ClusterState): Promise<PlacedCluster>;
  /** Generates the configuration of each node, by its name. */
  configure(state: ClusterState, material: ClusterMaterial): Promise<ReadonlyMap<string, string>>;
  /** Writes each node's configuration and the list of members to where the node reads them. */
  handOut(state: ClusterState, files: ClusterFiles): Promise<void>;
  /** Starts all nodes of a new cluster, and the process that keeps them running. */
  launch(state: ClusterState): Promise<void>;
  /**
   * Throws a Fault `data-loss` when the data of the cluster is missing, so that it cannot be started again.
   */
  checkData(state: ClusterState): Promise<void>;
  /**
   * Starts all nodes of a stopped cluster with their old addresses, and the process that keeps them running.
   */
  launchAgain(state: ClusterState): Promise<void>;
  /** Starts the stopped nodes of a cluster whose keeper runs. */
  launchMissing(state: ClusterState): Promise<void>;
  /** Starts one node. Resolves to a function that says whether to wait for the node of that name. */
  launchNode(state: ClusterState, node: string): Promise<(name: string) => boolean>;
  /** Lets the nodes run on without this process. */
  release(): Promise<void>;
  isWiped(node: string): boolean;
  /** Whether a TCP connection to the node's address shows that its apid listens. */
  reaches(node: PlannedNode, endpoint: string): boolean;
  /** The path or command by which users can read the output of the node. */
  logOf(node: string): string;
  /** Resolves to the reason why the nodes cannot start, or to `undefined` when the signal is aborted. */
  watchForHopeless(state: ClusterState, signal: AbortSignal): Promise<Fault | undefined>;
  etcd(state: ClusterState, options: { readonly isNewCluster: boolean }): EtcdFacts;
  /** Returns a note for the user if the nodes' programs were built from other commits than this program. */
  buildNote(commits: readonly string[]): string | undefined;
}

export interface PlacedCluster {
  /** The state with network, nodes and the Kubernetes endpoint. */
  readonly state: ClusterState;
  /** The addresses at which clients on this host reach the apids of the control planes, in their order. */
  readonly endpoints: readonly string[];
}

export type EtcdFacts =
  /** The control planes do not run etcd; `note` is for the user. */
  | { readonly kind: 'absent'; readonly note: string | undefined }
  /** `isNew`: no control plane has etcd data. `timeoutMs`: how long it may take to start, if not as usual. */
  | { readonly kind: 'present'; readonly isNew: boolean; readonly timeoutMs?: number };
