import type { ContainerRuntime } from '../container-runtime.ts';

/** A runtime of its own for a test, so that tests do not affect each other. Disposing of it removes it. */
export interface RuntimeHost extends AsyncDisposable {
  /** A connection as a node opens one; each call opens another one. */
  openRuntime(): ContainerRuntime;
  /** Kills the daemon of the runtime as a crash would. */
  crash(): Promise<void>;
  /** Starts it again with its data. */
  restart(): Promise<void>;
}

/** A driver under test: how to start its runtime, and its name in test titles. */
export interface RuntimeSubject {
  readonly name: string;
  /** Why this machine cannot run it; false when it can. */
  readonly skip: string | false;
  /** Path of a static BusyBox. Called only when a test runs. */
  busybox(): Promise<string>;
  /** `diskBytes`: the disk space for all data of the runtime. */
  openHost(options?: { readonly diskBytes?: number }): Promise<RuntimeHost>;
}
