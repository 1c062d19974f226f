// The contract that every driver of a container runtime fulfils; `conformance` is the same contract as tests.
// Times are milliseconds since 1970, sizes bytes. Each call takes an AbortSignal and throws a Fault:
//   not-found            no such image, container, or task
//   already-exists       the id is taken
//   invalid-argument     a reference, id or specification that no runtime takes
//   failed-precondition  the state does not allow it (removing what runs), or the image is of another platform
//   unavailable          the runtime does not answer, or went away during the call; asking again later may help
//   aborted              a pull whose connection broke; what was fetched is kept, and pulling again goes on
//   data-loss            content that is not what its digest says, or an archive that ends early
//   resource-exhausted   the disk is full
//   permission-denied, unauthenticated   what the registry answered
import type { ImageStore } from './image-store.ts';

/** Containers and images of one namespace do not see those of another. Source: Talos v1.14: constants. */
export const runtimeNamespaces = { system: 'system', kubernetes: 'k8s.io' } as const;
export type NamespaceName = (typeof runtimeNamespaces)[keyof typeof runtimeNamespaces];

/** What each call takes. Aborting ends the waiting, and what the call began where the runtime allows that. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A connection to one runtime. Opening does not ask it anything: it may be away, and come back. */
export interface ContainerRuntime extends AsyncDisposable {
  /** The driver's name: `docker`, `containerd`. */
  readonly name: string;
  /** What runs there; throws `unavailable` when nothing answers. Also what to ask whether it is up. */
  version(options?: CallOptions): Promise<RuntimeVersion>;
  /** The namespace is made when something is put into it. */
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
   * What happens from now on; when the first value is asked for, nothing is missed any more. Ends when the signal
   * aborts; throws `unavailable` when the runtime goes away: list again, then watch again.
   */
  watchEvents(signal: AbortSignal): AsyncIterable<RuntimeEvent>;
}

/** A container is what was asked for; its task is the process that runs, or ran last. Their ids are the same. */
export interface ContainerStore {
  /** The image must be there. Nothing runs yet. */
  create(spec: ContainerSpec, options?: CallOptions): Promise<ContainerInfo>;
  get(id: string, options?: CallOptions): Promise<ContainerInfo>;
  /** Those that carry all of the labels, sorted by id. */
  list(options?: CallOptions & { readonly labels?: Labels }): Promise<ContainerInfo[]>;
  /** With its files; `force` kills a task that runs, without it that is `failed-precondition`. */
  remove(id: string, options?: CallOptions & { readonly force?: boolean }): Promise<void>;
  /** Starts a task; one that ended before is forgotten. `failed-precondition` when one runs. Yields its pid. */
  start(id: string, options?: CallOptions): Promise<number>;
  /**
   * Sends a signal to the task: to all of its processes where the runtime can, else to the first, with whose end all
   * of them end. `failed-precondition` when none runs.
   */
  kill(id: string, signalName: NodeJS.Signals, options?: CallOptions): Promise<void>;
  /** How the task ends, or ended; at once for one that has. `not-found` when the container goes, or has no task. */
  wait(id: string, options?: CallOptions): Promise<ExitStatus>;
  /** `failed-precondition` when no task runs. */
  stats(id: string, options?: CallOptions): Promise<ContainerStats>;
  /**
   * Stdout and stderr of the tasks that the container has had: each in its order, and the two in the order in which the
   * runtime read them, which for what is written in the same moment may be another.
   */
  logs(id: string, options: LogOptions): AsyncIterable<Uint8Array>;
}

export type Labels = Readonly<Record<string, string>>;

export interface ContainerSpec {
  /** Letters, digits, `.`, `_` and `-`; unique in the namespace. */
  readonly id: string;
  /** A reference in the image store of the same namespace. */
  readonly image: string;
  /** The whole command; the image's own when left out. */
  readonly command?: readonly string[];
  /** Added to those of the image. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** Default: 0:0, whatever the image says. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly labels?: Labels;
  readonly mounts?: readonly MountSpec[];
  /** `host`: that of the node. Default: none, loopback only. */
  readonly network?: 'host' | 'none';
  /** Those that are kept, as `CAP_…`; default none. New ones cannot be gained. */
  readonly capabilities?: readonly string[];
  /** Default true. */
  readonly readOnlyRoot?: boolean;
  /** -1000 to 1000. A runtime that may not lower it starts the container all the same. */
  readonly oomScoreAdjust?: number;
  /** Below the node's own, such as `podruntime/etcd`. A driver whose engine places containers itself ignores it. */
  readonly cgroup?: string;
  readonly limits?: {
    readonly memoryBytes?: number;
    readonly processes?: number;
    readonly openFiles?: number;
  };
}

/** Paths on the left are the node's own, as machined sees them. */
export type MountSpec =
  | {
      readonly kind: 'bind';
      readonly source: string;
      readonly target: string;
      readonly readOnly?: boolean;
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
  /** The runtime's own name for it; the id where it has none. */
  readonly internalId: string;
  /** As it was created with. */
  readonly image: string;
  readonly labels: Labels;
  readonly createdAtMs: number;
  /** Undefined while it was never started, and after a runtime forgot. */
  readonly task?: TaskInfo;
}

export type TaskInfo =
  | { readonly status: 'running' | 'paused'; readonly pid: number }
  | { readonly status: 'created' }
  | { readonly status: 'stopped'; readonly exit: ExitStatus };

export interface ExitStatus {
  /** 0 to 255; 128 and the signal's number for a process that a signal ended. */
  readonly code: number;
  readonly atMs: number;
}

export interface ContainerStats {
  /** Without the page cache that can be dropped. Source: Talos v1.14: Stats. */
  readonly memoryBytes: number;
  /** Processor time since the task started. */
  readonly cpuNanoseconds: bigint;
}

export interface LogOptions extends CallOptions {
  /** Goes on until the task has ended and all is read, or the signal aborts. */
  readonly follow?: boolean;
  /** Lines from the end to begin with; default everything that is kept. */
  readonly tailLines?: number;
}

export type RuntimeEvent = { readonly atMs: number } & (
  | {
      readonly kind: 'container-created' | 'container-removed' | 'task-started' | 'task-out-of-memory';
      readonly id: string;
    }
  | { readonly kind: 'task-exited'; readonly id: string; readonly code: number }
  | { readonly kind: 'image-added' | 'image-removed'; readonly reference: string }
);
