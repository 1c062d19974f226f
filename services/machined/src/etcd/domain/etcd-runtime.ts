import type { Runner } from '../../base/domain/runner.ts';
import type { EtcdPaths } from './arguments.ts';
import type { EtcdVersion } from './etcd-version.ts';
import type { OwnMember } from './join-plan.ts';

export interface SnapshotRestore extends OwnMember {
  /** `name=url`, separated by commas: the restored cluster, which is this member alone. */
  readonly initialCluster: string;
  /**
   * Goes into the ids of the cluster and of its member, so that members of before, which may come back with their data,
   * are strangers to it. Another one each time.
   */
  readonly initialClusterToken: string;
  /** For a snapshot that was copied from a data directory and has no hash. */
  readonly skipHashCheck: boolean;
}

/** The way in which a node runs the programs of etcd: as processes, or in containers. */
export interface EtcdRuntime {
  /** Whether it runs the image of the configuration, and not a program of the host. */
  readonly usesImage: boolean;
  /** Where etcd itself finds its files. */
  readonly paths: EtcdPaths;
  /**
   * Of the programs, as far as their flags depend on it. An image may have to be pulled first.
   *
   * @throws Fault when they do not run here, or `signal` aborts
   */
  version(signal: AbortSignal): Promise<EtcdVersion>;
  /** One run of etcd with these arguments, without its program. It holds no secret: the history shows it. */
  createRunner(args: readonly string[]): Runner;
  /**
   * Makes the data directory, which is empty, from the snapshot that lies on the node. Interrupted at any point it leaves
   * the directory empty or whole.
   *
   * @throws Fault with the last words of the program
   */
  restore(restore: SnapshotRestore, signal: AbortSignal): Promise<void>;
}
