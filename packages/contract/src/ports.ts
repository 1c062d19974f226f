/** TCP ports that every node uses. Source: Talos v1.14: constants. */
export const ports = { apid: 50000, trustd: 50001, registryd: 3172 } as const;

/**
 * Ports of the control plane of Kubernetes: that of the API server by default, and the health checks of the others. Source:
 * Kubernetes: ports and protocols.
 */
export const kubernetesPorts = { apiServer: 6443, controllerManager: 10257, scheduler: 10259 } as const;

/** TCP ports of etcd on control planes: clients, other members, metrics and health. Source: Talos v1.14: constants. */
export const etcdPorts = { client: 2379, peer: 2380, http: 2383 } as const;
