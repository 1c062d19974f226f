/** The values of the wire's enumeration: containerd itself, and Kubernetes' interface to it. */
export const containerDrivers = { containerd: 0, cri: 1 } as const;
