// What a driver of roll-outs needs of the world. Each call ends within seconds, by itself or when its signal aborts.
import type { ClusterFacts } from '../domain/gate.ts';
import type { PlannedNode, RolloutPlan } from '../domain/rollout-plan.ts';
import type { Turn } from './turn.ts';

/** A plan as it lies in etcd. */
export interface StoredPlan {
  readonly bytes: Uint8Array;
  /** Changes with each write. */
  readonly revision: bigint;
  /** The name of the node that drives the plan at this moment; `undefined` when none does. */
  readonly driver?: string | undefined;
  /** What `write()` was told last about the begin of a plan; `undefined` when nobody has said anything. */
  readonly begun?: string | undefined;
}

export interface PlanStore {
  /** The plan, read with a quorum of etcd; `undefined` when etcd has no plan. */
  read(signal: AbortSignal): Promise<StoredPlan | undefined>;
  /**
   * Writes the plan if the stored one is still that of `revision`, and if `turn`, where one is given, is still held; at one moment.
   * A write whose answer was lost may have taken effect.
   *
   * @param revision 0: there is no plan
   * @param begun a line about the begin of the plan, which is kept beside it; absent: the line stays as it is
   * @returns false when nothing was written
   */
  write(
    bytes: Uint8Array,
    expected: { readonly revision: bigint; readonly turn?: Turn; readonly begun?: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Removes the plan if it is still that of `revision`. @returns false when nothing was removed */
  remove(revision: bigint, signal: AbortSignal): Promise<boolean>;
}

/** Asks nodes to act. A node looks at the plan in etcd with `isGranted()` right before it begins. */
export interface NodeActions {
  /**
   * Asks a node to begin its attempt, and does not wait until it is over. A node that has begun this attempt, or was told to withdraw
   * from it, does nothing.
   */
  start(plan: RolloutPlan, node: PlannedNode, signal: AbortSignal): Promise<void>;
  /** Makes a node that has not begun this attempt never begin it. A node that has begun goes on. */
  withdraw(plan: RolloutPlan, node: PlannedNode, signal: AbortSignal): Promise<void>;
}

export interface ClusterView {
  /**
   * All nodes of the cluster, with what the nodes of the plan do. A node that does not answer is not well. A node of the plan that is
   * missing counts as one that does not answer; any other node that is down must be in it as far as it is known.
   *
   * @throws Fault when the driver cannot look at the nodes at all
   */
  look(plan: RolloutPlan, signal: AbortSignal): Promise<ClusterFacts>;
}
