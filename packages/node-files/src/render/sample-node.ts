/** What a node finds out by itself, and the files are rendered with. The same for both configurations that are compared. */
export const sampleNode = {
  hostname: 'node',
  address: '10.5.0.2',
  staticPodUrl: 'http://127.0.0.1:1/pods',
  /** Where the resolver of the host listens. Source: Talos v1.14: network.HostDNSConfigController. */
  hostResolver: '127.0.0.53',
} as const;

/** What needs more than the configuration, and is never rendered here. */
export const unrenderedFiles: readonly {
  readonly name: string;
  readonly why: string;
  readonly isOfControlPlane?: true;
}[] = [
  {
    name: 'command line of etcd',
    why: 'it has the addresses of the node and the members',
    isOfControlPlane: true,
  },
  {
    name: 'certificates and kubeconfigs of the control plane',
    why: 'the node signs them for the names and addresses that it has',
    isOfControlPlane: true,
  },
  { name: 'certificates of the node', why: 'they are signed for the names and addresses that it has' },
  { name: 'links, addresses and routes', why: 'they depend on the links of the machine' },
  { name: 'partitions and mounts', why: 'they depend on the disks of the machine' },
];
