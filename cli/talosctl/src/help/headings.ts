/** Heading of what a command itself can do. */
export const ownHeading = 'Options:';

/** Heading of the options that say which cluster and which nodes. */
export const connectionHeading = 'Connection:';
