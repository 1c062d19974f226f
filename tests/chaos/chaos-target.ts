import type { ClusterView } from '@nodewright/provision';
import type { Cluster } from '../cluster/cluster.ts';
import type { VictimsByType } from './plan-faults.ts';
import type { Victim } from './planned-fault.ts';

/** A cluster in which programs and nodes can be killed. */
export interface ChaosTarget extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly view: ClusterView;
  /** The folder of a node, on nodes that are processes of this host and reach its servers; undefined for others. */
  readonly rootOf: ((node: string) => string) | undefined;
  /** What is killed on its nodes; by default that of nodes without Kubernetes. */
  readonly victims?: VictimsByType;
  /**
   * Whether a late restart is a failure. It is not where the programs of Kubernetes on four nodes share the processors of one machine: there the
   * time of a restart says how busy that machine is. A victim that does not run again is a failure everywhere.
   */
  readonly judgesTime: boolean;
  /** `host:port` of etcd's client listener on every control plane. */
  readonly etcdEndpoints: readonly string[];
  /**
   * Identifies the processes of a victim by numbers that change with a restart. Empty while it does not run.
   * @param victim `node`: its machined, with which all others restart
   */
  instancesOf(node: string, victim: Victim): Promise<readonly string[]>;
  /** Sends SIGKILL. Returns false when there was nothing to kill. */
  kill(node: string, victim: Victim): Promise<boolean>;
  /** Whether a victim that machined does not run itself works again; undefined for one that is a service of its node. */
  isWell?(node: string, victim: Victim): Promise<boolean> | undefined;
  /** Leftovers, in words: zombies, orphaned processes, containers that belong to no node. */
  strays(): Promise<readonly string[]>;
}
