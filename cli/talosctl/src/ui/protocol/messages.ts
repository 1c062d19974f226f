// What the server of the page sends to it: one JSON object per line. This file has types only, and both sides import it.
import type { FactName, Facts } from '../../dashboard/model/facts.ts';
import type { ActionState, ShownConfiguration, Trial } from './calls.ts';
import type { RolloutState } from './rollout.ts';

export type Reach =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'here' }
  | {
      readonly kind: 'away';
      /** When the first call failed, in milliseconds since 1970; so are all other times here. */
      readonly sinceMs: number;
      readonly message: string;
      /** The hop that failed; undefined when the node itself reported the failure. */
      readonly hop?: string | undefined;
      /** When the next call is made. */
      readonly retryMs?: number | undefined;
    };

/** One point of the history of a node. All are undefined while the node is away. */
export interface Point {
  readonly atMs: number;
  /** Shares, 0 to 1. */
  readonly cpu?: number | undefined;
  readonly memory?: number | undefined;
  /** Load average of one minute. */
  readonly load?: number | undefined;
}

/** A reason why a node is not well. */
export interface Trouble {
  readonly name: string;
  readonly reason: string;
}

/** What the map shows of a node. Undefined: not known yet, or the caller may not read it. */
export interface NodeSummary {
  readonly name: string;
  readonly reach: Reach;
  readonly role?: string | undefined;
  readonly hostname?: string | undefined;
  readonly version?: string | undefined;
  readonly stage?: string | undefined;
  readonly isReady?: boolean | undefined;
  readonly bootMs?: number | undefined;
  /** Whether the processors, the memory and the load are those of a host that the node shares. */
  readonly sharesHost?: boolean | undefined;
  readonly cpus?: number | undefined;
  /** Load averages of 1, 5 and 15 minutes. */
  readonly load?: readonly [number, number, number] | undefined;
  readonly memory?: { readonly usedBytes: number; readonly totalBytes: number } | undefined;
  /** Names of all services, sorted. */
  readonly services: readonly string[];
  readonly troubles: readonly Trouble[];
  readonly etcd?: EtcdMember | undefined;
  /** Whether the member of etcd was asked last and did not answer. Without this and without a member it was not asked yet. */
  readonly isEtcdSilent?: true | undefined;
}

/** The member of etcd of a node. Ids are hexadecimal. */
export interface EtcdMember {
  readonly id: string;
  readonly leader: string;
  readonly term: number;
  readonly raftIndex: number;
  readonly appliedIndex: number;
  readonly dbBytes: number;
  readonly usedBytes: number;
  readonly isLearner: boolean;
  readonly version: string;
  readonly errors: readonly string[];
  readonly alarms: readonly string[];
}

export interface CheckState {
  readonly name: string;
  readonly state: 'passed' | 'skipped' | 'failed';
  /** Why it was skipped, or did not pass. */
  readonly reason?: string | undefined;
  /** Since when the check has had this state. */
  readonly sinceMs: number;
}

/** What a run of the checks has found. */
export interface HealthResult {
  readonly checks: readonly CheckState[];
  /** Why the checks could not be run; `checks` is then what the run before has found. */
  readonly problem?: string | undefined;
  /** The number of the last change of a node when the run began. */
  readonly ofNodes: number;
  /** When the run ended. */
  readonly atMs: number;
}

/** A time in which a node was away, or a check failed. */
export interface Outage {
  readonly kind: 'node' | 'check';
  readonly name: string;
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly toMs?: number;
  /** The text of the first failure. */
  readonly reason: string;
  /** The node has restarted in its turn of an upgrade. */
  readonly isForUpgrade?: true;
}

export interface ServiceState {
  readonly id: string;
  readonly state: string;
  readonly health: 'healthy' | 'unhealthy' | 'unknown';
  /** What the last check of its health reported. */
  readonly message: string;
  readonly isWell: boolean;
  /** Newest first. */
  readonly events: readonly { readonly atMs: number; readonly state: string; readonly message: string }[];
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly threads: number;
  /** In processors: 2 means two whole ones. */
  readonly cpu: number | undefined;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly name: string;
  readonly command: string;
}

/** Bytes per second: received and sent for interfaces, read and written for disks. */
export interface DeviceRow {
  readonly name: string;
  readonly inRate?: number | undefined;
  readonly outRate?: number | undefined;
  readonly errors: number;
  /** The share of time in use, for disks. */
  readonly busy?: number | undefined;
}

/** What one sample of a node says. */
export interface NodeDetail {
  readonly atMs: number;
  readonly services: readonly ServiceState[];
  readonly processes: readonly ProcessRow[];
  /** Count of all processes; the rows are at most `limits.processes`. */
  readonly processCount: number;
  readonly network: readonly DeviceRow[];
  readonly disks: readonly DeviceRow[];
  readonly cpuModel?: string | undefined;
  /** The share of each processor in use, 0 to 1. */
  readonly cpus: readonly (number | undefined)[];
  readonly memory?: Readonly<Record<'total' | 'used' | 'buffers' | 'cached' | 'free', number>> | undefined;
}

export interface MountRow {
  readonly source: string;
  readonly at: string;
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

export interface DiskRow {
  readonly name: string;
  readonly model: string;
  readonly sizeBytes: number;
  readonly type: string;
  readonly isSystem: boolean;
}

export interface SocketRow {
  readonly protocol: string;
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly pid: number;
  readonly process: string;
}

export type LogLevel = 'error' | 'warning' | 'info' | 'debug' | 'unknown';

export interface LogLine {
  /** When the line was written; undefined when it does not say. */
  readonly atMs?: number | undefined;
  readonly level: LogLevel;
  readonly text: string;
  readonly trace?: string | undefined;
}

export interface EventEntry {
  readonly id: string;
  /** The id of an event has whole seconds. */
  readonly atMs: number | undefined;
  /** The call that caused it; empty when none did. */
  readonly actor: string;
  /** Without its package and ending: `Phase`. */
  readonly type: string;
  readonly source: string;
  readonly message: string;
}

export interface KindRow {
  readonly type: string;
  readonly name: string;
  readonly namespace: string;
  readonly aliases: readonly string[];
  readonly isSecret: boolean;
  /** The titles of the columns of this kind, as `talosctl get` shows them. A secret kind has none here. */
  readonly columns: readonly string[];
}

export interface ResourceRow {
  readonly id: string;
  readonly version: number;
  readonly phase: string;
  readonly owner: string;
  readonly updatedMs: number;
  /** One for each column of the kind. */
  readonly cells: readonly string[];
  readonly yaml: string;
}

export interface GraphEdge {
  readonly controller: string;
  readonly resource: string;
  readonly kind: 'output' | 'shared output' | 'input' | 'weak input' | 'destroy-ready input';
}

/** A pass of a controller that failed. */
export interface ControllerFailure {
  readonly controller: string;
  readonly message: string;
  readonly atMs: number;
  /** The pause before its next pass. */
  readonly retryMs: number;
}

/** A node as Kubernetes knows it. */
export interface KubeNodeState {
  readonly name: string;
  readonly isReady: boolean;
  /** Whether no new pod is placed on it. */
  readonly isCordoned: boolean;
  /** From its labels, sorted. */
  readonly roles: readonly string[];
  readonly podCidrs: readonly string[];
}

/** A static pod, as its node reports it. */
export interface PodRow {
  /** With its namespace: `kube-system/kube-scheduler-node01`. */
  readonly name: string;
  readonly phase: string;
  readonly isReady: boolean;
  readonly restarts: number;
  /** Why it is not ready; empty when it is, or when the node does not say. */
  readonly reason: string;
}

/** Undefined: not known yet. */
export interface KubernetesState {
  /** Null when Kubernetes has no node of this name. */
  readonly node?: KubeNodeState | null | undefined;
  readonly pods?: readonly PodRow[] | undefined;
}

export interface ContainerRow {
  /** Of Kubernetes: `namespace/pod` for a pod, and `namespace/pod:container` for what runs in it. */
  readonly id: string;
  readonly isPod: boolean;
  readonly image: string;
  readonly pid: number;
  readonly state: string;
}

/** The containers of one namespace, or why they are not known. */
export interface ContainerList {
  /** At most `limits.containers`. */
  readonly containers: readonly ContainerRow[];
  readonly count: number;
  readonly problem?: string | undefined;
}

/** What a subscription brings. */
export type FeedEvent =
  | { readonly kind: 'detail'; readonly detail: NodeDetail }
  /** Some facts, and the names of those that are no longer there. */
  | { readonly kind: 'facts'; readonly facts: Partial<Facts>; readonly gone: readonly FactName[] }
  | { readonly kind: 'storage'; readonly mounts: readonly MountRow[]; readonly disks: readonly DiskRow[] }
  | { readonly kind: 'sockets'; readonly sockets: readonly SocketRow[]; readonly count: number }
  /** The log starts again from its beginning. */
  | { readonly kind: 'log-opened' }
  | { readonly kind: 'log-lines'; readonly lines: readonly LogLine[]; readonly ownCount: number }
  | { readonly kind: 'events'; readonly events: readonly EventEntry[] }
  | { readonly kind: 'kinds'; readonly kinds: readonly KindRow[] }
  /** All resources of the kind at first, then those that changed. */
  | {
      readonly kind: 'resources';
      readonly isWhole: boolean;
      readonly changed: readonly ResourceRow[];
      readonly gone: readonly string[];
    }
  | { readonly kind: 'graph'; readonly edges: readonly GraphEdge[] }
  | { readonly kind: 'failures'; readonly failures: readonly ControllerFailure[] }
  | { readonly kind: 'configuration'; readonly configuration: ShownConfiguration }
  | { readonly kind: 'kubernetes'; readonly state: KubernetesState }
  | { readonly kind: 'containers'; readonly kubernetes: ContainerList; readonly system: ContainerList }
  /** Why nothing arrives. The server tries again unless a retry is useless. */
  | { readonly kind: 'problem'; readonly message: string };

/** What changed in the cluster. All of it belongs to one number. */
export interface SnapshotChange {
  readonly kind: 'snapshot';
  /** The number of the whole; the same as before when only figures have changed. */
  readonly number: number;
  /** The number of the last change of a node. */
  readonly nodesNumber: number;
  readonly nodes: readonly NodeSummary[];
  /** Undefined: as before. */
  readonly health?: HealthResult | undefined;
  readonly outages?: readonly Outage[] | undefined;
  readonly rollout?: RolloutState | undefined;
}

export type ServerMessage =
  /** The first line. The page keeps nothing of an earlier stream. */
  | {
      readonly kind: 'welcome';
      readonly program: string;
      readonly context: string;
      /** The same text whenever a program serves the same cluster. */
      readonly cluster: string;
      readonly nodes: readonly string[];
      /** Whether the page may change anything on nodes. */
      readonly allowsActions: boolean;
    }
  | { readonly kind: 'history'; readonly histories: Readonly<Record<string, readonly Point[]>> }
  | SnapshotChange
  | { readonly kind: 'point'; readonly node: string; readonly point: Point }
  /** All configurations that nodes try, and all actions that pages have started, the newest first. */
  | { readonly kind: 'trials'; readonly trials: readonly Trial[] }
  | { readonly kind: 'actions'; readonly actions: readonly ActionState[] }
  | { readonly kind: 'feed'; readonly key: string; readonly event: FeedEvent }
  /** Sent at intervals, so that the page notices a connection that broke silently. */
  | { readonly kind: 'tick'; readonly nowMs: number };
