// How long the parts of a node may take to stop. They stand together because machined must not give up before the parts have.
// That of the services is `dependentsBudgetMs` of packages/services.

/** How long a cancelled sequence may take to end, in ms. Source: Talos v1.14: sequences, lock and takeover. */
export const preemptionTimeoutMs = 60_000;

/** For the containers that are left when the services that use their runtime are down, in ms: the runtime may be gone or stuck. */
export const containersLimitMs = 20_000;

/**
 * Time between SIGTERM and SIGKILL of a daemon, in ms. It is given up after twice that time. Source: Talos v1.14: process of apid,
 * process of trustd.
 */
export const daemonGraceMs = 15_000;
