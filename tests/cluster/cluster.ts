// What the test bodies in this folder need: a cluster, its nodes, and clients of it. They run on every
// provisioner that implements this interface.
import type { TalosClient, TalosClientInit } from '@nodewright/client';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import type { TalosctlResult } from './run-talosctl.ts';

export type Daemon = 'machined' | 'apid' | 'trustd' | 'udevd-bridge';

/** One machine of the cluster under test. */
export interface Node {
  readonly name: string;
  readonly type: 'controlplane' | 'worker';
  readonly address: string;
  /**
   * Identifies the running instance of the daemon by a number that changes with a restart; `undefined` when
   * it does not run.
   */
  instanceOf(daemon: Daemon): Promise<number | undefined>;
  /** Sends a signal to the daemon. Fails when it does not run. */
  signal(daemon: Daemon, signal: NodeJS.Signals): Promise<void>;
}

export interface ClientInit extends Pick<TalosClientInit, 'endpoints' | 'nodes' | 'random'> {
  /** The roles in the client's certificate; an administrator's by default. */
  readonly roles?: readonly string[];
}

/** A running cluster that belongs to one test. Disposing it destroys the cluster. */
export interface Cluster extends AsyncDisposable {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly controlPlanes: readonly Node[];
  readonly workers: readonly Node[];
  /** The credentials and endpoints of a user with these roles. */
  context(...roles: string[]): Promise<TalosconfigContext>;
  /** A client of a user with these roles; its endpoints are all control planes unless given. */
  client(init?: ClientInit): Promise<TalosClient>;
  /** Runs the command line with the cluster as its current context. */
  talosctl(...words: string[]): Promise<TalosctlResult>;
}

export interface ClusterShape {
  readonly controlPlanes: number;
  readonly workers: number;
}
