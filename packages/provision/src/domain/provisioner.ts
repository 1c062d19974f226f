import type { NodeRunState } from './claim.ts';
import type { ClusterShape, NodeType } from './cluster-shape.ts';

/** The ways to run a cluster. */
export const provisionerNames = ['process', 'docker', 'qemu'] as const;
export type ProvisionerName = (typeof provisionerNames)[number];

/** Identifies a cluster. */
export interface ClusterRef {
  readonly name: string;
  /** Absolute path of the folder with the folders of all clusters. */
  readonly clustersFolder: string;
}

/** A config patch in YAML or JSON. */
export interface PatchText {
  /** The name of the patch in errors, usually its path. */
  readonly source: string;
  readonly text: string;
}

/** Patches are applied in order: first those for all nodes, then those for the node's type. */
export interface ConfigPatches {
  readonly all: readonly PatchText[];
  readonly controlPlanes: readonly PatchText[];
  readonly workers: readonly PatchText[];
}

export interface ClusterRequest extends ClusterRef {
  readonly shape: ClusterShape;
  /** The requested address range; `undefined` allows any free range. */
  readonly cidr: string | undefined;
  /** The folder with the disk image of virtual machines; `undefined` means the one next to the bundles. */
  readonly imageFolder?: string | undefined;
  /** An image of which each node is one container; `undefined` means a container for each daemon. */
  readonly nodeImage?: string | undefined;
  /** Whether the nodes run Kubernetes; only for processes, and for nodes that are one container each. Default no. */
  readonly kubernetes?: boolean;
  readonly patches: ConfigPatches;
  /**
   * Returns the machine configuration of a node in place of the generated one, which has the addresses, the endpoint and the secrets of the
   * cluster. Only for processes.
   */
  readonly configure?:
    | ((node: Pick<NodeView, 'name' | 'type' | 'address'>, generated: string) => string)
    | undefined;
  /** Whether the nodes end when this process does, however it ends. Only for processes. Default no. */
  readonly isTemporary?: boolean;
  /** Absolute path of the talosconfig to which a context for the cluster is added. */
  readonly talosconfig: string;
  /** Whether to succeed when a cluster with the same settings already runs. */
  readonly ifAbsent: boolean;
  /**
   * Whether to bootstrap etcd on the first control plane, and to wait until all control planes have a vote.
   */
  readonly bootstrap: boolean;
}

export interface NodeView {
  readonly name: string;
  readonly type: NodeType;
  readonly address: string;
  /** `stopped` when the process that keeps the nodes running does not run. */
  readonly state: NodeRunState | 'stopped';
  readonly pid?: number;
  readonly restarts?: number;
  /** When the node entered its state, RFC 3339. */
  readonly since?: string;
  readonly lastExit?: string;
  /** A second endpoint of the node's apid, `host:port` on this host. */
  readonly published?: string;
}

/** A cluster as it is shown to users. */
export interface ClusterView {
  readonly provisioner: ProvisionerName;
  readonly name: string;
  readonly folder: string;
  /** `incomplete` when the creation was interrupted. */
  readonly state: 'running' | 'stopped' | 'incomplete';
  /** The process that keeps the nodes running; for a virtual machine, the emulator. */
  readonly supervisor?: { readonly pid: number; readonly log: string };
  readonly network: {
    readonly name: string;
    readonly cidr: string;
    readonly gateway: string;
    readonly mtu: number;
  };
  readonly kubernetesEndpoint: string;
  /**
   * The cluster's own Jaeger: its web page and query API, and the address to which other programs send spans.
   */
  readonly jaeger?: { readonly url: string; readonly otlp: string };
  readonly talosconfig?: { readonly path: string; readonly context: string };
  readonly nodes: readonly NodeView[];
}

/** The Kubernetes of a cluster, as its user needs it. */
export interface RunningKubernetes {
  readonly version: string;
  /** Paths on this host. */
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** The number of API servers that are ready, and the time from the call until all were, in seconds. */
  readonly servers: number;
  readonly seconds: number;
  /**
   * The number of nodes that are Ready, and the time from the call until they were and the DNS of the cluster was available, in
   * seconds. Absent for nodes without a kubelet, and without a network for pods.
   */
  readonly workloads?: { readonly nodes: number; readonly seconds: number };
}

export interface CreateResult {
  readonly cluster: ClusterView;
  /** What the call did: created the cluster, started it, or kept it running. */
  readonly outcome: 'created' | 'started' | 'kept';
  /** The number of nodes that answer. Nodes that were reset and wait for a configuration are not counted. */
  readonly answering: number;
  /** The time from the call until all nodes answered, in seconds. */
  readonly seconds: number;
  /**
   * The number of control planes with a vote in etcd, and the time from the call until all had one, in
   * seconds. Absent when create() did not wait for votes.
   */
  readonly votes?: { readonly count: number; readonly seconds: number };
  /** Present when the cluster runs Kubernetes and all its API servers are ready. */
  readonly kubernetes?: RunningKubernetes;
}

/** A cluster or node to start or stop. */
export interface ClusterChange extends ClusterRef {
  /** `undefined` means the whole cluster. */
  readonly node: string | undefined;
}

/** A node that is to get its configuration again. */
export interface JoinRequest extends ClusterRef {
  readonly node: string;
  /** Limits the whole action. */
  readonly timeoutMs: number;
}

/** What destroying a cluster would stop and remove. */
export interface DestroyPlan {
  readonly folder: string;
  readonly supervisorPid: number | undefined;
  /** The number of running processes of the cluster, including the supervisor. */
  readonly processes: number;
  readonly nodes: readonly string[];
  /** The objects of the cluster in a container engine. */
  readonly objects?: { readonly containers: number; readonly networks: number; readonly volumes: number };
  readonly talosconfig: { readonly path: string; readonly context: string } | undefined;
}

export interface LogLine {
  readonly node: string;
  readonly text: string;
}

export interface LogRequest {
  /** `undefined` means all nodes. */
  readonly node: string | undefined;
  readonly follow: boolean;
  /** Ends the log. */
  readonly signal: AbortSignal;
}

/** Says why a step has not completed yet, in a part of a line; each call replaces the reason before. */
export type SayReason = (reason: string) => void;

/** Receives the progress of a long action. */
export interface Progress {
  /** Runs `body` and reports its name and duration if it succeeds. Steps may run concurrently. */
  step<T>(name: string, body: (say: SayReason) => Promise<T>): Promise<T>;
  /** Reports one line to the user. */
  note(text: string): void;
}

/**
 * Creates and manages clusters of one kind. Failures are Faults: `not-found` for a cluster that does not
 * exist, `already-exists` and `failed-precondition` with what to do about it, `aborted` while another command
 * is changing the cluster.
 */
export interface Provisioner {
  /**
   * Resolves when every node answers. An abort removes everything again, or leaves what destroy() can remove.
   */
  create(request: ClusterRequest, progress: Progress, signal: AbortSignal): Promise<CreateResult>;
  show(ref: ClusterRef): Promise<ClusterView>;
  /** Starts the stopped nodes of the cluster, or one node. Resolves when they answer. */
  start(change: ClusterChange, progress: Progress, signal: AbortSignal): Promise<ClusterView>;
  /** Stops the cluster, or one node, and keeps the data. */
  stop(change: ClusterChange, progress: Progress): Promise<ClusterView>;
  /**
   * Gives a node in maintenance, as after a reset, the configuration that was kept for it at the creation. Resolves when the node is
   * a member again and, for a control plane, votes in etcd. The configuration is sent only to the server whose key the node's own
   * output names.
   */
  join(request: JoinRequest, progress: Progress, signal: AbortSignal): Promise<ClusterView>;
  planDestroy(ref: ClusterRef): Promise<DestroyPlan>;
  /** Stops and removes everything of the cluster. `force` also removes one with a damaged state. */
  destroy(ref: ClusterRef, options: { readonly force: boolean }, progress: Progress): Promise<void>;
  logs(ref: ClusterRef, request: LogRequest): AsyncIterable<LogLine>;
}
