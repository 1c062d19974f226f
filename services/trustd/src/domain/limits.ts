/**
 * The limits of trustd. Its port accepts clients without a certificate, so a connection is anonymous until
 * one of its calls has sent the cluster's token.
 */
export const trustdLimits = {
  /**
   * Concurrent TLS handshakes over all addresses. When there are more, the busiest address loses its oldest
   * one.
   */
  handshakes: 128,
  /** Maximum time for a handshake, in ms. */
  handshakeMs: 10_000,
  /** Open connections: one for each node of the largest supported cluster, and anonymous ones. */
  connections: 4096,
  /** Anonymous connections. When there are more, the oldest one of the busiest address is closed. */
  anonymous: 256,
  /** Anonymous connections per address, or per IPv6 /64. When there are more, the oldest one is closed. */
  anonymousPerGroup: 64,
  /** How long a connection may stay open without a right token, in ms. */
  anonymousMs: 10_000,
  /**
   * How long a connection with a right token may stay open without a new call, in ms. Nodes report every 5 s.
   */
  silentMs: 60_000,
  /** Open calls per connection. */
  callsPerConnection: 32,
  /** Cancels per connection. Above this rate the connection is closed. */
  cancels: { burst: 64, perSecond: 4 },
  /** Flow-control window per call, in bytes: body bytes in flight that trustd has not read yet. */
  streamWindowBytes: 32 * 1024,
  /** Metadata per call, in bytes. */
  metadataBytes: 16 * 1024,
  /** Memory for request bodies that are being received, over all calls, in bytes. */
  bodyBytes: 16 * 1024 * 1024,
  /** Maximum time for a body to arrive, in ms. */
  bodyMs: 10_000,
  /** Delay before a wrong token is rejected, in ms. */
  guessWaitMs: 1000,
  /** Delayed calls with a wrong token, per address or IPv6 /64. Further ones are rejected at once. */
  guessesPerGroup: 16,
  /**
   * Addresses, or IPv6 /64s, with delayed calls. Wrong tokens from further addresses are rejected at once.
   */
  guessGroups: 1024,
  /** Log lines about anonymous calls: the burst, and the number per second after it. */
  logBurst: 20,
  logPerSecond: 1,
} as const;
