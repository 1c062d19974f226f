/** Of one WireGuard link. A configuration with more has a mistake, and would keep the node busy with every change of its network. */
export const wireguardLimits = {
  peers: 1000,
  /** Of all peers together. */
  allowedIps: 10_000,
} as const;
