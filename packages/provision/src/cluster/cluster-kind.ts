// The port between what is done to a cluster, which is the same for all, and where its nodes run: a provisioner brings
// a ClusterKind and nothing else.

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
} from '../provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterMaterial } from './cluster-material.ts';
import type { CreateParts, Creation } from './creation.ts';

/** One way to run the nodes of clusters. */
export interface ClusterKind<Parts extends CreateParts> {
  readonly provisioner: StatefulProvisioner;
  /** Throws a Fault for what such a cluster cannot be, before anything is made. */
  checkRequest(request: ClusterRequest, parts: Parts): Promise<void>;
  /** @param state undefined when it is damaged */
  openHost(folder: ClusterFolder, state: ClusterState | undefined): NodeHost;
  /**
   * @param state of a cluster that is complete; undefined for one that is to be made
   * @param undo what is registered here is carried out unless the keeper is released
   */
  openLauncher(
    creation: Creation<Parts>,
    state: ClusterState | undefined,
    undo: AsyncDisposableStack,
  ): NodeLauncher;
}

/** Where the nodes of a cluster run: to look at, to stop and to remove. Needs no programs. */
export interface NodeHost {
  /** Throws a Fault `failed-precondition` unless the nodes can be seen. */
  require(): Promise<void>;
  /** How the nodes are now. */
  look(state: ClusterState, supervisorPid: number | undefined): Promise<HostView>;
  /** Stops every node and the keeper. Data stay. */
  stop(state: ClusterState, progress: Progress): Promise<void>;
  /** Stops one node; what keeps the others running goes on. */
  stopNode(
    state: ClusterState,
    node: string,
    supervisorPid: number | undefined,
    progress: Progress,
  ): Promise<void>;
  /** Ends what runs, and removes what lies outside of the cluster's folder. `graceful` lets nodes end by themselves. */
  remove(name: string, options: { readonly graceful: boolean; readonly progress: Progress }): Promise<void>;
  /** What the cluster has outside of its folder, for the user to read. */
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

/** Starts the nodes of a cluster, within one action. */
export interface NodeLauncher {
  /** What the cluster's state has beyond that of other kinds, before anything is made. */
  draft(): Pick<ClusterState, 'stack'>;
  /**
   * Chooses addresses and makes what the nodes need to exist. Registers on `undo` before it waits for anything: the
   * undo may begin while this goes on.
   */
  place(draft: ClusterState): Promise<PlacedCluster>;
  /** Puts each node's configuration and the list of members where the node finds them. */
  handOut(state: ClusterState, material: ClusterMaterial, talosconfig: string): Promise<void>;
  /** Starts all nodes of a new cluster, and what keeps them running. */
  launch(state: ClusterState): Promise<void>;
  /** Throws a Fault `data-loss` when there is nothing left to be started again. */
  checkData(state: ClusterState): Promise<void>;
  /** Starts all nodes of a stopped cluster on their addresses, and what keeps them running. */
  launchAgain(state: ClusterState): Promise<void>;
  /** Starts the nodes that are off, of a cluster whose keeper runs. */
  launchMissing(state: ClusterState): Promise<void>;
  /** Starts one node, and says which nodes are to answer then. */
  launchNode(state: ClusterState, node: string): Promise<(name: string) => boolean>;
  /** From now on the nodes run without this process. */
  release(): Promise<void>;
  isWiped(node: string): boolean;
  /** Whether a bare connection to the node's address tells if its apid listens. */
  reaches(node: PlannedNode, endpoint: string): boolean;
  /** Where people find what the node says. */
  logOf(node: string): string;
  /** Resolves to why waiting for nodes is of no use, or to undefined when the signal is aborted. */
  watchForHopeless(state: ClusterState, signal: AbortSignal): Promise<Fault | undefined>;
  etcd(state: ClusterState, options: { readonly isNewCluster: boolean }): EtcdFacts;
  /** What to tell the user of the commits that the nodes' programs were built from. */
  buildNote(commits: readonly string[]): string | undefined;
}

export interface PlacedCluster {
  /** With network, nodes and the endpoint of Kubernetes. */
  readonly state: ClusterState;
  /** Where clients on this host reach the apids of the control planes, in their order. */
  readonly endpoints: readonly string[];
}

export type EtcdFacts =
  /** Control planes have none; `note` is for the user. */
  | { readonly kind: 'absent'; readonly note: string | undefined }
  /** `isNew`: no control plane has data of it. */
  | { readonly kind: 'present'; readonly isNew: boolean };
