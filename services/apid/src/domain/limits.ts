const mib = 1024 * 1024;

/** How long connections of clients may do nothing, in milliseconds. */
export const connectionTimes = {
  /** From the end of the TLS handshake to the first frames. */
  prefaceMs: 10_000,
  /** From these to the acknowledgement of apid's SETTINGS. */
  settingsMs: 10_000,
  /** Without a call, until the connection is drained; it may be twice as long. gRPC clients connect again when needed. */
  idleMs: 10 * 60_000,
} as const;

/**
 * Limits of this apid per caller and in total. An identity is the SHA-256 of the public key of a client
 * certificate. In maintenance clients have no certificate, and the identity is their address. A call over a
 * limit fails with ResourceExhausted and a text that names the limit.
 */
export const gatewayShares = {
  /** Connections of one identity. Further connections are refused after their handshake. */
  connectionsPerIdentity: 64,
  /** Connections of another apid, which opens several to spread its callers over them. */
  connectionsPerApid: 512,
  /** Connections of all clients together. */
  connections: 1024,
  /**
   * The last connections are reserved for identities with fewer than `smallIdentityConnections` connections.
   */
  reservedConnections: 128,
  smallIdentityConnections: 4,

  /** Open calls of one identity over all of its connections. A call to several nodes counts once per node. */
  callsPerIdentity: 512,
  /**
   * Open calls of all identities with the same roles: a client cannot raise its share with additional
   * certificates.
   */
  callsPerRoles: 2048,
  /** Open calls that one other apid may forward to this one. */
  callsPerApid: 2048,
  /** Open calls of all callers together. */
  calls: 4096,
  /**
   * The last calls of an apid's share are reserved for callers with at most `smallCallerCalls` open calls.
   */
  reservedCallsPerApid: 512,
  /** The last calls of the total are reserved for these callers as well. */
  reservedCalls: 1024,
  smallCallerCalls: 32,

  /** Distinct values of `nodes` in one call. A call with more fails with InvalidArgument. */
  nodesPerCall: 256,

  /**
   * Memory for open calls of one identity, in bytes: bodies that the next hop or the client has not yet read,
   * and joint answers.
   */
  bytesPerIdentity: 48 * mib,
  /** Memory for the open calls of all callers, in bytes. */
  bytes: 128 * mib,

  /**
   * Identities that are remembered. At this number, identities without open calls and bytes are forgotten.
   */
  rememberedIdentities: 4096,
} as const;

/**
 * Limits on the clients without a certificate of a worker that waits for its own. They count by themselves, so that strangers take no place
 * of a client with a certificate.
 */
export const strangerLimits = {
  /** Connections of all strangers together. */
  connections: 64,
  /** Connections of one address, or of an IPv6 /64. */
  connectionsPerIdentity: 8,
  /** No stranger is an apid. */
  connectionsPerApid: 0,
  /** The last connections are reserved for addresses without one. */
  reservedConnections: 16,
  smallIdentityConnections: 1,
  callsPerConnection: 4,
  /** Longest time for a call, in milliseconds. */
  callMs: 5000,
  /** Without a call, until the connection is drained, in milliseconds; it may be twice as long. */
  idleMs: 15_000,
} as const;

/**
 * Rates of useless calls per identity. Above the rate of cancels or refusals the connection is closed, and
 * new calls are refused during a pause. The pause doubles when the identity soon exceeds a rate again.
 */
export const conductLimits = {
  /** Calls that the client cancels. */
  cancels: { burst: 500, perSecond: 20 },
  /** Calls that this apid refuses. Above this rate new connections are refused as well. */
  refusals: { burst: 250, perSecond: 50 },
  /** Log lines about failed calls. Further lines are omitted; the next line gives their number. */
  lines: { burst: 100, perSecond: 20 },
  pauseMs: 5000,
  longestPauseMs: 60_000,
  rememberedIdentities: 4096,
} as const;

/**
 * How many calls of one caller may start at the same time. Further calls of the caller wait, and do not delay
 * other callers. 100 watches of a dashboard start within half a second.
 */
export const startLimits = {
  fewest: 4,
  most: 32,
  mostAlone: 64,
  crowd: 6,
  spacingMs: 20,
  holdMs: 250,
} as const;

/** How many cancels, of all callers together, apid forwards to backends at once and then per interval. */
export const cancelLimits = { perTurn: 16, intervalMs: 5, waiting: 8192 } as const;

/**
 * Open calls per connection. A dashboard and 100 watches use a quarter of them. Further streams are refused.
 */
export const callsPerConnection = 512;

/**
 * How many calls a connection may have open at first, and how this number grows to `callsPerConnection` while
 * the client uses it. `first` cannot be much smaller: clients on node:http2 open all their calls before they
 * have read our SETTINGS, and the calls above the limit are refused. A connection starts with fewer when more
 * than `generous` connections have started recently, or when its identity has `furtherAfter` or more open.
 */
export const callGrowth = {
  first: 160,
  generous: 2,
  settled: 16,
  settleMs: 250,
  furtherAfter: 16,
  firstOfFurther: 8,
  step: 16,
  intervalMs: 10,
} as const;

/** Maximum size of a call's metadata: its header list size as HTTP/2 defines it, in bytes. */
export const metadataBytes = 128 * 1024;

/**
 * Flow-control window of each stream, in bytes: how much body may be in flight before its reader has consumed
 * any.
 */
export const streamWindowBytes = 512 * 1024;

/**
 * Connections to each backend. Callers are spread over them, so that few callers share a connection. What fewer would save:
 * docs/decisions/gateway.md.
 */
export const backendLanes = 16;
