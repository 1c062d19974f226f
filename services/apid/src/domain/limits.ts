const mib = 1024 * 1024;

/**
 * What this apid grants callers. An identity is the SHA-256 of a client certificate's public key; in maintenance, where
 * nobody shows one, it is the address. Everything over a limit ends in ResourceExhausted that names the limit.
 */
export const gatewayShares = {
  /** Connections of one identity. A connection over it is refused after its handshake. */
  connectionsPerIdentity: 64,
  /** Connections of another apid, which makes some for each caller that it serves. */
  connectionsPerApid: 512,
  /** Connections of all clients. */
  connections: 1024,
  /** The last connections are for identities that have fewer than `smallIdentityConnections`. */
  reservedConnections: 128,
  smallIdentityConnections: 4,

  /** Calls that one identity may have open, over all of its connections. A call to many nodes counts once per node. */
  callsPerIdentity: 512,
  /** Calls of all identities with the same roles: a certificate that is issued anew gains no share beyond this. */
  callsPerRoles: 2048,
  /** Calls that one other apid may pass on. */
  callsPerApid: 2048,
  /** Calls of everybody. */
  calls: 4096,
  /** The last calls of an apid's share are for callers that have fewer than `smallCallerCalls` open. */
  reservedCallsPerApid: 512,
  /** The last calls of all are for such callers as well. */
  reservedCalls: 1024,
  smallCallerCalls: 32,

  /** Values of `nodes` in one call, without repeats. InvalidArgument over it. */
  nodesPerCall: 256,

  /** Bytes that the calls of one identity may hold here: bodies that wait for their hop or their reader, joined answers. */
  bytesPerIdentity: 48 * mib,
  /** The same for all calls. */
  bytes: 128 * mib,

  /** Identities whose open calls are counted; more only while all of them have some. */
  rememberedIdentities: 4096,
} as const;

/**
 * What one identity may do to no purpose. Over a limit its connection ends and its new calls are refused for a while,
 * which doubles while it goes on.
 */
export const conductLimits = {
  /** Calls that it takes back. */
  cancels: { burst: 500, perSecond: 20 },
  /** Calls that are refused here. Over it new connections are refused as well. */
  refusals: { burst: 250, perSecond: 50 },
  /** Log lines of calls that failed. More are left out and counted in the next one. */
  lines: { burst: 100, perSecond: 20 },
  pauseMs: 5000,
  longestPauseMs: 60_000,
  rememberedIdentities: 4096,
} as const;

/**
 * How many calls of one caller begin at a time. The others wait, and do not keep other callers waiting: 100 watches of a
 * dashboard begin within half a second.
 */
export const startLimits = { fewest: 4, most: 32, crowd: 6, spacingMs: 20, holdMs: 250 } as const;

/** Cancels of all callers that are passed on to backends: at once, and then in each interval. */
export const cancelLimits = { perTurn: 16, intervalMs: 5, waiting: 8192 } as const;

/** Open calls of one connection: a dashboard and 100 watches take a quarter of them. More are refused as a stream. */
export const callsPerConnection = 512;

/**
 * How many calls a connection may have open at first, and how it gets to `callsPerConnection` while it uses them. `first`
 * is not smaller because clients on node:http2 open all that they want before they have read our SETTINGS: what is
 * beyond the limit by then is refused. A crowd of connections, and the further ones of an identity that has
 * `furtherAfter` open, begin with less.
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

/** Metadata of a call, in bytes as HTTP/2 counts them. */
export const metadataBytes = 128 * 1024;

/** Body bytes of one call that may be under way, in either direction, before its reader must have taken some. */
export const streamWindowBytes = 512 * 1024;

/** Connections to each backend that callers are spread over, so that few of them share one. */
export const backendLanes = 16;
