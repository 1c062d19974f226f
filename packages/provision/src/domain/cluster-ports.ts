/**
 * Ports on a cluster's gateway address. Talos clients never use them. The time server uses a port above 1023,
 * because an ordinary user cannot bind port 123.
 */
export const clusterPorts = { claim: 50050, time: 50123, spans: 54318 } as const;
