import type { NodeRunState } from './domain/claim.ts';
import type { ClusterShape, NodeType } from './domain/cluster-shape.ts';

/** Ways to run a cluster. `qemu` is not built yet. */
export const provisionerNames = ['process', 'docker', 'qemu'] as const;
export type ProvisionerName = (typeof provisionerNames)[number];

/** Which cluster is meant. */
export interface ClusterRef {
  readonly name: string;
  /** Absolute path of the folder that holds one folder per cluster. */
  readonly clustersFolder: string;
}

/** A config patch, YAML or JSON. */
export interface PatchText {
  /** What it is called in errors, usually its path. */
  readonly source: string;
  readonly text: string;
}

/** Applied in their order: those for all nodes, then those of the node's type. */
export interface ConfigPatches {
  readonly all: readonly PatchText[];
  readonly controlPlanes: readonly PatchText[];
  readonly workers: readonly PatchText[];
}

export interface ClusterRequest extends ClusterRef {
  readonly shape: ClusterShape;
  /** Undefined: any range that is free. */
  readonly cidr: string | undefined;
  readonly patches: ConfigPatches;
  /** Absolute path of the talosconfig that gets a context for the cluster. */
  readonly talosconfig: string;
  /** Succeed when the very same cluster already runs. */
  readonly ifAbsent: boolean;
  /** Bootstrap etcd on the first control plane, and wait until all control planes have a vote. */
  readonly bootstrap: boolean;
}

export interface NodeView {
  readonly name: string;
  readonly type: NodeType;
  readonly address: string;
  /** `stopped` when nothing keeps the node running. */
  readonly state: NodeRunState | 'stopped';
  readonly pid?: number;
  readonly restarts?: number;
  /** When it entered its state, RFC 3339. */
  readonly since?: string;
  readonly lastExit?: string;
  /** Where this host reaches its apid besides its address, `host:port`. */
  readonly published?: string;
}

/** A cluster as people see it. */
export interface ClusterView {
  readonly provisioner: ProvisionerName;
  readonly name: string;
  readonly folder: string;
  /** `incomplete`: its creation was interrupted. */
  readonly state: 'running' | 'stopped' | 'incomplete';
  readonly supervisor?: { readonly pid: number; readonly log: string };
  readonly network: {
    readonly name: string;
    readonly cidr: string;
    readonly gateway: string;
    readonly mtu: number;
  };
  readonly kubernetesEndpoint: string;
  /** Its own Jaeger: the page and query API, and where other programs send their spans. */
  readonly jaeger?: { readonly url: string; readonly otlp: string };
  readonly talosconfig?: { readonly path: string; readonly context: string };
  readonly nodes: readonly NodeView[];
}

export interface CreateResult {
  readonly cluster: ClusterView;
  /** What was done: made from nothing, started again, or found running. */
  readonly outcome: 'created' | 'started' | 'kept';
  /** How many of the nodes answer: all but those that wait for a configuration since they were reset. */
  readonly answering: number;
  /** From the call to all nodes answering, in seconds. */
  readonly seconds: number;
  /** Control planes with a vote in etcd, and from the call to the last of them having it; none where nobody waited. */
  readonly votes?: { readonly count: number; readonly seconds: number };
}

/** What is to be started or stopped. */
export interface ClusterChange extends ClusterRef {
  /** Undefined: the whole cluster. */
  readonly node: string | undefined;
}

/** What a destroy would end and remove. */
export interface DestroyPlan {
  readonly folder: string;
  readonly supervisorPid: number | undefined;
  /** Processes of the cluster that run now, the supervisor included. */
  readonly processes: number;
  readonly nodes: readonly string[];
  /** What it has in a container engine. */
  readonly objects?: { readonly containers: number; readonly networks: number; readonly volumes: number };
  readonly talosconfig: { readonly path: string; readonly context: string } | undefined;
}

export interface LogLine {
  readonly node: string;
  readonly text: string;
}

export interface LogRequest {
  /** Undefined: of all nodes. */
  readonly node: string | undefined;
  readonly follow: boolean;
  /** Ends the sequence. */
  readonly signal: AbortSignal;
}

/** Where the steps of a long action are told. */
export interface Progress {
  /** Runs `body` and tells its name and duration when it has succeeded. Steps may run beside each other. */
  step<T>(name: string, body: () => Promise<T>): Promise<T>;
  /** One line that the user should see. */
  note(text: string): void;
}

/**
 * Makes clusters of one kind. Failures are Faults: `not-found` for a cluster that does not exist, `already-exists`
 * and `failed-precondition` with what to do about it, `aborted` while another command is at the same cluster.
 */
export interface Provisioner {
  /** Resolves when every node answers. Aborting leaves nothing, or something that destroy() removes. */
  create(request: ClusterRequest, progress: Progress, signal: AbortSignal): Promise<CreateResult>;
  show(ref: ClusterRef): Promise<ClusterView>;
  /** Starts what is off of the cluster, or one node. Resolves when it answers. */
  start(change: ClusterChange, progress: Progress, signal: AbortSignal): Promise<ClusterView>;
  /** Stops the cluster, or one node, and keeps everything of it. */
  stop(change: ClusterChange, progress: Progress): Promise<ClusterView>;
  planDestroy(ref: ClusterRef): Promise<DestroyPlan>;
  /** Ends and removes everything of the cluster. `force` removes one with a damaged state too. */
  destroy(ref: ClusterRef, options: { readonly force: boolean }, progress: Progress): Promise<void>;
  logs(ref: ClusterRef, request: LogRequest): AsyncIterable<LogLine>;
}
