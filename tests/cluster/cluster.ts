// What the bodies in this folder know of the world: a cluster, its nodes, and clients of it. They run on whatever
// provisioner implements this.
import type { TalosClient, TalosClientInit } from '@nodewright/client';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import type { TalosctlResult } from './run-talosctl.ts';

export type Daemon = 'machined' | 'apid' | 'trustd';

/** One machine of the cluster under test. */
export interface Node {
  readonly name: string;
  readonly type: 'controlplane' | 'worker';
  readonly address: string;
  /** What runs of the daemon now, by a number that is another after a restart; undefined when it does not run. */
  instanceOf(daemon: Daemon): Promise<number | undefined>;
  /** Sends a signal to the daemon. Fails when it does not run. */
  signal(daemon: Daemon, signal: NodeJS.Signals): Promise<void>;
}

export interface ClientInit extends Pick<TalosClientInit, 'endpoints' | 'nodes' | 'random'> {
  /** Those of the client's certificate; an administrator's by default. */
  readonly roles?: readonly string[];
}

/** A running cluster of the test's own. Disposing it destroys it. */
export interface Cluster extends AsyncDisposable {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly controlPlanes: readonly Node[];
  readonly workers: readonly Node[];
  /** How a user with these roles gets in. */
  context(...roles: string[]): Promise<TalosconfigContext>;
  /** A client as a user with these roles has; its endpoints are all control planes unless given. */
  client(init?: ClientInit): Promise<TalosClient>;
  /** The command line with the cluster as its current context. */
  talosctl(...words: string[]): Promise<TalosctlResult>;
}

export interface ClusterShape {
  readonly controlPlanes: number;
  readonly workers: number;
}
