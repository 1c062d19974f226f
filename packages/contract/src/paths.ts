/**
 * Paths of a node, absolute as on a real node. In process mode each is taken below the node's root folder:
 * join `root` and the path.
 */
export const nodePaths = {
  machinedSocket: '/run/machined/machined.sock',
  /** Where upstream's clients look for the same socket: a symbolic link to it. */
  upstreamMachinedSocket: '/system/run/machined/machine.sock',
  /** Where machined serves to apid, and to nobody else, what apid may know of the node's resources. */
  apidRuntimeSocket: '/system/run/apid/runtime.sock',
  /** The same for trustd. */
  trustdRuntimeSocket: '/system/run/trustd/runtime.sock',
  /** The machine configuration of the node. */
  machineConfig: '/system/state/config.yaml',
  /** One that is part of the image. */
  embeddedMachineConfig: '/usr/local/etc/talos/config.yaml',
  /** The values of META, on a node without a partition for them. */
  meta: '/system/state/meta.json',
  /** `suite.runtime.v1.Membership` as protobuf JSON: the nodes of the cluster. */
  membership: '/system/state/members.json',
  /** Certificates and keys of etcd and its clients. */
  etcdSecrets: '/system/secrets/etcd',
  etcdData: '/var/lib/etcd',
  /** From which `Bootstrap` recovers. */
  etcdSnapshot: '/var/lib/etcd.snapshot',
  logs: '/var/log',
} as const;
