import type { ContainerRuntime } from '../container-runtime.ts';

/** A runtime of its own for a test: whatever happens to it happens to nobody else. Disposing it removes it. */
export interface RuntimeHost extends AsyncDisposable {
  /** A connection as a node would open one; each call opens another. */
  openRuntime(): ContainerRuntime;
  /** Kills the runtime's daemon as a crash would. */
  crash(): Promise<void>;
  /** Starts it again on what it left. */
  restart(): Promise<void>;
}

/** What passes the suite: how a driver's runtime is started, and what it is called in the names of tests. */
export interface RuntimeSubject {
  readonly name: string;
  /** Why this machine cannot run it; false when it can. */
  readonly skip: string | false;
  /** Path of a static BusyBox. Asked for once something runs. */
  busybox(): Promise<string>;
  /** `diskBytes`: as much room as there is for everything that the runtime keeps. */
  openHost(options?: { readonly diskBytes?: number }): Promise<RuntimeHost>;
}
