import type { Runner } from '@nodewright/services/domain';
import type { EtcdPaths } from './arguments.ts';
import type { EtcdVersion } from './etcd-version.ts';
import type { OwnMember } from './join-plan.ts';

export interface SnapshotRestore extends OwnMember {
  /** The restored cluster: `name=url` entries of its only member, separated by commas. */
  readonly initialCluster: string;
  /**
   * A unique text that etcd hashes into the new cluster and member ids. Members of the old cluster that
   * return with their data are thus rejected.
   */
  readonly initialClusterToken: string;
  /** Set for a snapshot that was copied from a data directory and has no hash. */
  readonly skipHashCheck: boolean;
}

/** Runs the programs of etcd as processes or in containers. */
export interface EtcdRuntime {
  /** Whether etcd runs from the image in the configuration, not from a program of the host. */
  readonly usesImage: boolean;
  /** Paths of the files as the etcd process sees them. */
  readonly paths: EtcdPaths;
  /**
   * The version of etcd, which its flags depend on. An image may have to be pulled first.
   *
   * @throws Fault when the program does not run here, or `signal` aborts
   */
  version(signal: AbortSignal): Promise<EtcdVersion>;
  /**
   * Creates a runner for etcd with these arguments, which exclude the program name. They must hold no secret,
   * because they appear in the service history.
   */
  createRunner(args: readonly string[]): Runner;
  /**
   * Fills the empty data directory from the snapshot on the node. An interruption leaves the directory empty
   * or complete.
   *
   * @throws Fault with the last output line of the program
   */
  restore(restore: SnapshotRestore, signal: AbortSignal): Promise<void>;
}
