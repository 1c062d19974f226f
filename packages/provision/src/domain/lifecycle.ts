// What is done to a cluster as a whole, whatever its nodes are: the steps of each action, in their order. They are
// carried out by `cluster/run-lifecycle.ts`, over the port that a provisioner implements.

export type LifecycleStep =
  /** Makes the cluster's folder, which says `creating`. */
  | 'claim-folder'
  /** Chooses addresses and makes what nodes need to exist; makes secrets meanwhile. */
  | 'place-nodes'
  | 'hand-out-material'
  | 'launch-nodes'
  /** Adds the context of the user, and marks the cluster as created. */
  | 'complete-cluster'
  /** Reads the talosconfig that was made with the cluster. */
  | 'read-talosconfig'
  | 'check-data'
  /** Ends what outlived a keeper that was killed. */
  | 'end-leftovers'
  | 'launch-again'
  /** Starts the nodes that are off of a cluster that runs. */
  | 'launch-missing'
  | 'launch-node'
  | 'restore-context'
  /** From here on the cluster runs without the command that started it, and a failure leaves it as it is. */
  | 'release-keeper'
  | 'await-nodes'
  | 'form-etcd'
  /** The same for a cluster that is kept as it is: votes that are missing are noted and no failure. */
  | 'note-missing-votes'
  | 'note-other-build';

export const lifecycles = {
  /** Nothing is there. Until `release-keeper` a failure removes everything again. */
  create: [
    'claim-folder',
    'place-nodes',
    'hand-out-material',
    'launch-nodes',
    'complete-cluster',
    'release-keeper',
    'await-nodes',
    'form-etcd',
    'note-other-build',
  ],
  /** The cluster is complete and stopped. */
  startAgain: [
    'read-talosconfig',
    'check-data',
    'end-leftovers',
    'launch-again',
    'restore-context',
    'release-keeper',
    'await-nodes',
    'form-etcd',
  ],
  /** The cluster runs. */
  keepRunning: ['read-talosconfig', 'launch-missing', 'restore-context', 'await-nodes', 'note-missing-votes'],
  /** The cluster runs, and one node of it is wanted. */
  startNode: ['read-talosconfig', 'launch-node', 'await-nodes'],
} as const satisfies Record<string, readonly LifecycleStep[]>;
