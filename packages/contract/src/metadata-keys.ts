/** gRPC metadata keys that mean something to the daemons. Source: Talos v1.14: proxying protocol. */
export const metadataKeys = {
  /** Single target of a call, exactly one value. */
  node: 'node',
  /** Targets of an aggregated call, one value each. */
  nodes: 'nodes',
  /** Present on a call that another apid forwarded; forces local handling. */
  proxyFrom: 'proxyfrom',
  /** Roles of the caller, one value each; set by apid, believed only from holders of `os:impersonator`. */
  role: 'talos-role',
  /**
   * Who made a call that one apid passes to another, for its limits: the SHA-256 of a public key in hexadecimal. Ours;
   * believed only from holders of `os:impersonator`, and never handed to machined.
   */
  caller: 'nodewright-caller',
  /** Shared secret of joining nodes on trustd. Never logged. */
  token: 'token',
  /** Always `Talos` on calls of a talosctl; informational. */
  runtime: 'runtime',
  /** Cluster name of the client's context; informational. */
  context: 'context',
} as const;
