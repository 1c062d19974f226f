// The contract of every driver of a container runtime; `conformance` checks the same contract.
//
// Times are milliseconds since 1970, sizes are bytes. Each call takes an AbortSignal and throws a Fault:
//
// not-found: no such image, container, or task
// already-exists: the id is taken
// invalid-argument: an invalid reference, id or specification
// failed-precondition: the state does not permit it (such as removing a running container), or the image is
// of another platform
// unavailable: the runtime does not answer, or went away during the call; a retry may succeed
// aborted: a pull with a broken connection; the downloaded part is kept, and the next pull resumes
// data-loss: content that does not match its digest, or a truncated archive
// resource-exhausted: the disk is full
// permission-denied, unauthenticated: the answer of the registry
import type { ImageStore } from './image-store.ts';

/** Containers and images of one namespace are invisible in the other. Source: Talos v1.14: constants. */
export const runtimeNamespaces = { system: 'system', kubernetes: 'k8s.io' } as const;
export type NamespaceName = (typeof runtimeNamespaces)[keyof typeof runtimeNamespaces];

/** Options of every call. The signal ends the wait, and cancels the work if the runtime can do that. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A connection to one runtime. Opening it makes no call, so the runtime may be down and start later. */
export interface ContainerRuntime extends AsyncDisposable {
  /** Name of the driver: `docker`, `containerd`. */
  readonly name: string;
  /**
   * Version of the runtime; throws `unavailable` when it does not answer. Also the check whether it is up.
   */
  version(options?: CallOptions): Promise<RuntimeVersion>;
  /** The runtime creates the namespace when something is added to it. */
  namespace(name: NamespaceName): RuntimeNamespace;
}

export interface RuntimeVersion {
  readonly version: string;
  /** `os/architecture`, as in the platforms of images. */
  readonly platform: string;
}

export interface RuntimeNamespace {
  readonly name: NamespaceName;
  readonly images: ImageStore;
  readonly containers: ContainerStore;
  /**
   * Events from now on. No event is missed after the first value was requested. Ends when the signal aborts.
   * Throws `unavailable` when the runtime goes away: then list again before the next watch.
   */
  watchEvents(signal: AbortSignal): AsyncIterable<RuntimeEvent>;
}

/** A container is the configuration; its task is the process that runs, or ran last. They share an id. */
export interface ContainerStore {
  /** Creates a container without starting it. Its image must be in the store. */
  create(spec: ContainerSpec, options?: CallOptions): Promise<ContainerInfo>;
  get(id: string, options?: CallOptions): Promise<ContainerInfo>;
  /** Containers that have all of the labels, sorted by id. */
  list(options?: CallOptions & { readonly labels?: Labels }): Promise<ContainerInfo[]>;
  /**
   * Removes a container with its files; `force` kills a running task, otherwise that is
   * `failed-precondition`.
   */
  remove(id: string, options?: CallOptions & { readonly force?: boolean }): Promise<void>;
  /**
   * Starts a task and forgets an earlier one that ended. `failed-precondition` when one runs. Returns its
   * pid.
   */
  start(id: string, options?: CallOptions): Promise<number>;
  /**
   * Sends a signal to the task: to all of its processes if the runtime can, otherwise to the first one, whose
   * exit ends the others. `failed-precondition` when no task runs.
   */
  kill(id: string, signalName: NodeJS.Signals, options?: CallOptions): Promise<void>;
  /**
   * Waits for the exit of the task; returns at once if it has exited. `not-found` when the container is
   * removed, or has no task.
   */
  wait(id: string, options?: CallOptions): Promise<ExitStatus>;
  /** `failed-precondition` when no task runs. */
  stats(id: string, options?: CallOptions): Promise<ContainerStats>;
  /**
   * Stdout and stderr of the tasks of the container. Each output is in its order; between the two the order
   * is that in which the runtime read them, which can differ for output of the same moment.
   */
  logs(id: string, options: LogOptions): AsyncIterable<Uint8Array>;
}

export type Labels = Readonly<Record<string, string>>;

export interface ContainerSpec {
  /** Letters, digits, `.`, `_` and `-`; unique in the namespace. */
  readonly id: string;
  /** A reference in the image store of the same namespace. */
  readonly image: string;
  /** The complete command; default that of the image. */
  readonly command?: readonly string[];
  /** Added to the variables of the image. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** Default 0:0, whatever the image says. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly labels?: Labels;
  readonly mounts?: readonly MountSpec[];
  /** `host`: that of the node. Default: none, loopback only. */
  readonly network?: 'host' | 'none';
  /**
   * `host`: it sees the processes of the node, the files of the kernel are neither masked nor read-only, and its programs may
   * gain the capabilities of set-uid files. Default: its own processes. Docker refuses it with `invalid-argument`.
   */
  readonly processes?: 'host' | 'own';
  /** `host`: it may use every device of the node. Default: those that every program may expect. Docker refuses it. */
  readonly devices?: 'host' | 'default';
  /** Capabilities to keep, as `CAP_…`; default none. The container cannot gain others. */
  readonly capabilities?: readonly string[];
  /** Default true. */
  readonly readOnlyRoot?: boolean;
  /** `oom_score_adj`, -1000 to 1000. A runtime that may not lower it starts the container without it. */
  readonly oomScoreAdjust?: number;
  /**
   * Relative to the cgroup of the node, such as `podruntime/etcd`. A driver whose engine chooses the cgroup
   * ignores it.
   */
  readonly cgroup?: string;
  readonly limits?: {
    readonly memoryBytes?: number;
    readonly processes?: number;
    readonly openFiles?: number;
  };
}

/** Paths on the left are paths of the node, as machined sees them. */
export type MountSpec =
  | {
      readonly kind: 'bind';
      readonly source: string;
      readonly target: string;
      readonly readOnly?: boolean;
      /**
       * `slave`: later mounts of the node appear in the container. `shared`: also those of the container on the node, where the
       * source must be a shared mount. Default `private`. Docker ignores it.
       */
      readonly propagation?: 'private' | 'slave' | 'shared';
    }
  | {
      readonly kind: 'memory';
      readonly target: string;
      readonly sizeBytes: number;
      /** Permission bits; default 0o755. */
      readonly mode?: number;
    };

export interface ContainerInfo {
  readonly id: string;
  /** The runtime's own name for the container; the id if it has none. */
  readonly internalId: string;
  /** The specification at its creation. */
  readonly image: string;
  readonly labels: Labels;
  readonly createdAtMs: number;
  /** Undefined before the first start, and when the runtime has forgotten it. */
  readonly task?: TaskInfo;
}

export type TaskInfo =
  | { readonly status: 'running' | 'paused'; readonly pid: number }
  | { readonly status: 'created' }
  | { readonly status: 'stopped'; readonly exit: ExitStatus };

export interface ExitStatus {
  /** 0 to 255; 128 plus the signal number for a process that a signal ended. */
  readonly code: number;
  readonly atMs: number;
}

export interface ContainerStats {
  /** Without reclaimable page cache. Source: Talos v1.14: Stats. */
  readonly memoryBytes: number;
  /** Processor time since the task started. */
  readonly cpuNanoseconds: bigint;
}

export interface LogOptions extends CallOptions {
  /** Follows until the task has ended and everything is read, or until the signal aborts. */
  readonly follow?: boolean;
  /** Number of lines from the end to begin with; default everything that is stored. */
  readonly tailLines?: number;
  /** For a caller that opens the log again after the runtime went away; `tailLines` does not count then. */
  readonly progress?: LogProgress;
}

/** How far a log has been read: `logs()` advances it, and begins there when it is given the same object again. */
export interface LogProgress {
  /** In the stored output, with what was no longer stored when it would have been read. Undefined: nothing was read. */
  positionBytes?: number;
  /** When the last output was read, Unix ms. Only of a runtime that cannot read a long log again by its position. */
  readAtMs?: number;
}

export type RuntimeEvent = { readonly atMs: number } & (
  | {
      readonly kind: 'container-created' | 'container-removed' | 'task-started' | 'task-out-of-memory';
      readonly id: string;
    }
  | { readonly kind: 'task-exited'; readonly id: string; readonly code: number }
  | { readonly kind: 'image-added' | 'image-removed'; readonly reference: string }
);
