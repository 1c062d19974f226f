/** Between whoever starts a supervisor and the supervisor, over the IPC channel of its process. */
export type SupervisorReport =
  | { readonly kind: 'claimed'; readonly cidr: string }
  /** It cannot run, says why, and ends. */
  | { readonly kind: 'refused'; readonly reason: string };

export type SupervisorOrder =
  /** The configuration of these nodes is in place. */
  | { readonly kind: 'start'; readonly nodes: readonly string[] }
  /** The cluster is complete: from now on it runs without the one who started it. */
  | { readonly kind: 'release' };

/** Tells a supervisor that runs already to read its wishes, or, without any, to start the nodes that are off. */
export const startWishSignal = 'SIGUSR2';
