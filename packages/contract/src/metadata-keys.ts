/** gRPC metadata keys that the daemons use. Source: Talos v1.14: proxying protocol. */
export const metadataKeys = {
  /** Single target of a call, exactly one value. */
  node: 'node',
  /** Targets of an aggregated call, one value each. */
  nodes: 'nodes',
  /** Present on a call that another apid forwarded; forces local handling. */
  proxyFrom: 'proxyfrom',
  /**
   * Roles of the caller, one value each. Set by apid; accepted only from callers with the role
   * `os:impersonator`.
   */
  role: 'talos-role',
  /**
   * The caller of a call that one apid forwards to another, for the other's limits: the SHA-256 of a public
   * key in hexadecimal. It does not exist upstream. Accepted only from callers with the role
   * `os:impersonator`. Sent to machined only with calls that read resources, for its request log.
   */
  caller: 'nodewright-caller',
  /**
   * The address of a caller without a certificate, for machined of a node in maintenance. Set by apid; a client's value never passes.
   * It does not exist upstream.
   */
  address: 'nodewright-address',
  /** Shared secret with which joining nodes authenticate to trustd. Never logged. */
  token: 'token',
  /** Always `Talos` on calls of talosctl; informational. */
  runtime: 'runtime',
  /** Cluster name of the client's context; informational. */
  context: 'context',
  /**
   * A random text of a client that reads logs, sent with each of its calls. The lines of request logs contain it, so the client
   * can leave out those about itself. It does not exist upstream.
   */
  session: 'nodewright-session',
} as const;
