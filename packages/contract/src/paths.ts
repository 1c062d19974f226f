/**
 * Paths of a node, absolute as on a real node. In process mode each is taken below the node's root folder:
 * join `root` and the path.
 */
export const nodePaths = {
  machinedSocket: '/run/machined/machined.sock',
  /** Where upstream's clients look for the same socket: a symbolic link to it. */
  upstreamMachinedSocket: '/system/run/machined/machine.sock',
  /** `suite.runtime.v1.ApidRuntime` as protobuf JSON, written by machined, read by apid. */
  apidRuntime: '/system/run/apid/runtime.json',
  /** `suite.runtime.v1.TrustdRuntime` as protobuf JSON, written by machined, read by trustd. */
  trustdRuntime: '/system/run/trustd/runtime.json',
  /** The machine configuration of the node. */
  machineConfig: '/system/state/config.yaml',
  /** `suite.runtime.v1.Membership` as protobuf JSON: the nodes of the cluster. */
  membership: '/system/state/members.json',
  logs: '/var/log',
} as const;
