import type { ClusterView } from '@nodewright/provision';
import type { Cluster } from '../cluster/cluster.ts';
import type { Victim } from './planned-fault.ts';

/** A cluster that can be hurt. */
export interface ChaosTarget extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly view: ClusterView;
  /** `host:port` of the client listener of etcd of every control plane. */
  readonly etcdEndpoints: readonly string[];
  /**
   * The processes of a victim, by numbers that are others after a restart. Empty while it does not run.
   * @param victim `node`: its machined, with which all others come back
   */
  instancesOf(node: string, victim: Victim): Promise<readonly string[]>;
  /** Sends SIGKILL; false when there was nothing to kill. */
  kill(node: string, victim: Victim): Promise<boolean>;
  /** What runs and belongs to nobody, in words: zombies, orphans, containers that nobody knows. */
  strays(): Promise<readonly string[]>;
}
