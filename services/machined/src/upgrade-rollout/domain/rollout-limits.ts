/** Limits of roll-outs, in ms unless a name says otherwise. */
export const rolloutLimits = {
  /**
   * How long one node may act: 5 minutes for its turn, 5 for the drain, the write, a trial, and 15 until it is ready.
   */
  nodeMs: 45 * 60_000,
  /** How long the lock of a driver stays when its node has died. */
  driverTtlSeconds: 15,
  /** Of a call from a driver to a node. */
  callMs: 4_000,
  /** Of a read of a member of etcd, while a driver looks. */
  memberMs: 4_000,
  /** How long a driver asks a node to get ready in one step. */
  prepareMs: 8_000,
  /** How many nodes a driver asks at the same time. */
  callsAtOnce: 32,
  /** How long a ticket is valid. */
  ticketMs: 10_000,
  /** How long a node may take to get the artefact. */
  pullMs: 30 * 60_000,
  /** Between two tries to get it, while the registry is not there or is busy. */
  pullPauseMs: 15_000,
  /** After how long the node makes sure again that its store has the artefact: the store removes one that is not used for an hour. */
  preparedMs: 5 * 60_000,
  /** How long a node whose etcd or disk refuses the start of its upgrade is asked again. */
  refusedMs: 90_000,
  /** After how long without a refusal that time begins anew. */
  refusedGapMs: 20_000,
  /** How long a node refuses other upgrades after a driver has looked at it. */
  holdMs: 60_000,
  /** How long a certificate of a driver is used. It is valid for twice as long. */
  certificateMs: 30 * 60_000,
  /** How long a connection to etcd is used: certificates and members change. */
  connectionMs: 10 * 60_000,
  /** Clients that follow a roll-out through one node. */
  watchers: 32,
  watchPollMs: 1_000,
} as const;
