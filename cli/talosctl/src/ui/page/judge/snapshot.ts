import type { HealthResult, NodeSummary, Outage, SnapshotChange } from '../../protocol/messages.ts';
import type { RolloutState } from '../../protocol/rollout.ts';

/** What the page knows of the cluster at one moment. It is replaced as a whole, so that all parts show the same one. */
export interface Snapshot {
  readonly number: number;
  /** The number of the last change of a node. */
  readonly nodesNumber: number;
  readonly names: readonly string[];
  readonly summaries: ReadonlyMap<string, NodeSummary>;
  readonly health?: HealthResult;
  /** The upgrade of all nodes; undefined before anybody was asked, and with programs that do not follow it. */
  readonly rollout?: RolloutState;
  /** The newest first. */
  readonly outages: readonly Outage[];
  /** Whether the page is connected to the program. What is known without it is old. */
  readonly isLive: boolean;
}

export const emptySnapshot: Snapshot = {
  ...{ number: 0, nodesNumber: 0, names: [], summaries: new Map(), outages: [], isLive: false },
};

/** The snapshot after a change. */
export function afterChange(snapshot: Snapshot, change: SnapshotChange): Snapshot {
  const { number, nodesNumber, nodes, health = snapshot.health, outages = snapshot.outages } = change;
  const { rollout = snapshot.rollout } = change;
  const summaries = new Map(snapshot.summaries);
  for (const summary of nodes) summaries.set(summary.name, summary);
  return {
    ...snapshot,
    number,
    nodesNumber,
    summaries,
    outages,
    ...(health && { health }),
    ...(rollout && { rollout }),
  };
}
