import { h2Limits } from '../h2-limits.ts';

/**
 * What a peer may cost on one connection. Each limit is attacked in `floods.test.ts`. The limits on calls,
 * cancels, windows and header lists are in `H2Limits`, because they differ between clients and daemons.
 */
export const floodLimits = h2Limits.floods;

/** How much of a connection may be in memory. */
export const queueLimits = h2Limits.queues;

/** How a connection ends, after the last frame. */
export const endLimits = h2Limits.ends;
