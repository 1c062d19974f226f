/** Messages between a supervisor and the process that started it, over the IPC channel. */
export type SupervisorReport =
  | { readonly kind: 'claimed'; readonly cidr: string }
  /** The supervisor cannot run. It ends after this message. */
  | { readonly kind: 'refused'; readonly reason: string };

export type SupervisorOrder =
  /** The configuration of these nodes has been written: start them. */
  | { readonly kind: 'start'; readonly nodes: readonly string[] }
  /** The cluster is complete: run on without the process that started the supervisor. */
  | { readonly kind: 'release' };

/**
 * Makes a running supervisor read the requests in `wishes.json`. If there are none, it starts all nodes that
 * are off.
 */
export const startWishSignal = 'SIGUSR2';
