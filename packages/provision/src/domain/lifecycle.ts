// The actions on a whole cluster of any kind, as ordered lists of steps. `cluster/run-lifecycle.ts` executes
// them, through the port that each provisioner implements.

export type LifecycleStep =
  /** Creates the cluster's folder, with the state `creating`. */
  | 'claim-folder'
  /** Chooses addresses and creates the environment of the nodes; generates the secrets at the same time. */
  | 'place-nodes'
  | 'hand-out-material'
  | 'launch-nodes'
  /** Adds the context to the user's talosconfig, and marks the cluster as created. */
  | 'complete-cluster'
  /** Reads the talosconfig that was created with the cluster. */
  | 'read-talosconfig'
  | 'check-data'
  /** Kills processes that are left because their keeper was killed. */
  | 'end-leftovers'
  | 'launch-again'
  /** Starts the stopped nodes of a running cluster. */
  | 'launch-missing'
  | 'launch-node'
  | 'restore-context'
  /**
   * Lets the cluster run without the command that started it. A later failure does not remove the cluster.
   */
  | 'release-keeper'
  | 'await-nodes'
  | 'form-etcd'
  /** Waits until every API server is ready, and writes the kubeconfig. Does nothing for a cluster without Kubernetes. */
  | 'await-kubernetes'
  /**
   * Like `form-etcd`, for a cluster, or one node of it, that already runs: a missing vote is noted, and is not
   * a failure.
   */
  | 'note-missing-votes'
  | 'note-other-build';

export const lifecycles = {
  /** For a cluster that does not exist. Before `release-keeper`, a failure removes everything again. */
  create: [
    'claim-folder',
    'place-nodes',
    'hand-out-material',
    'launch-nodes',
    'complete-cluster',
    'release-keeper',
    'await-nodes',
    'form-etcd',
    'await-kubernetes',
    'note-other-build',
  ],
  /** For a complete cluster that is stopped. */
  startAgain: [
    'read-talosconfig',
    'check-data',
    'end-leftovers',
    'launch-again',
    'restore-context',
    'release-keeper',
    'await-nodes',
    'form-etcd',
    'await-kubernetes',
  ],
  /** For a running cluster. */
  keepRunning: [
    'read-talosconfig',
    'launch-missing',
    'restore-context',
    'await-nodes',
    'note-missing-votes',
    'await-kubernetes',
  ],
  /** For one stopped node of a running cluster. */
  startNode: ['read-talosconfig', 'launch-node', 'await-nodes', 'note-missing-votes'],
} as const satisfies Record<string, readonly LifecycleStep[]>;
