/** Values of the wire enum `ContainerDriver`: containerd itself, or containerd through the CRI of Kubernetes. */
export const containerDrivers = { containerd: 0, cri: 1 } as const;
