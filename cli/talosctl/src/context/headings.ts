/** Heading of the options of the command itself. */
export const ownHeading = 'Options:';

/** Heading of the options that select the cluster and the nodes. */
export const connectionHeading = 'Connection:';
