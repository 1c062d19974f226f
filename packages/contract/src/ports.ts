/** TCP ports that every node uses. Source: Talos v1.14: constants. */
export const ports = { apid: 50000, trustd: 50001 } as const;
