/**
 * What trustd grants strangers, that is everybody: its port asks for no client certificate. A connection is a stranger's
 * until one of its calls has shown the cluster's token.
 */
export const trustdLimits = {
  /** TLS handshakes under way, over all addresses. The busiest address loses its oldest one for a new one. */
  handshakes: 128,
  /** How long a handshake may take, in ms. */
  handshakeMs: 10_000,
  /** Open connections; one per node of the largest cluster that keeps its records here, and strangers. */
  connections: 4096,
  /** Connections of strangers. The oldest one of the busiest address ends for a new one. */
  strangers: 256,
  /** Connections of strangers from one address, or one IPv6 /64. The oldest one ends for a new one. */
  strangersPerGroup: 64,
  /** How long a connection may stay without a right token, in ms. */
  strangerMs: 10_000,
  /** How long a connection with a right token may stay without a new call, in ms. Nodes report every 5 s. */
  silentMs: 60_000,
  /** Open calls per connection. */
  callsPerConnection: 32,
  /** Calls that one connection may cancel. Over it the connection ends. */
  cancels: { burst: 64, perSecond: 4 },
  /** Body bytes in flight per call that trustd has not taken yet. */
  streamWindowBytes: 32 * 1024,
  /** All metadata of a call. */
  metadataBytes: 16 * 1024,
  /** Bodies that are being received, over all calls of the daemon. */
  bodyBytes: 16 * 1024 * 1024,
  /** How long a body may take to arrive, in ms. */
  bodyMs: 10_000,
  /** How long a call with a wrong token waits for its answer, in ms. */
  guessWaitMs: 1000,
  /** Calls with a wrong token that wait, per address or IPv6 /64. More are refused at once. */
  guessesPerGroup: 16,
  /** Addresses, or IPv6 /64s, whose wrong tokens wait. Guesses from more are refused at once. */
  guessGroups: 1024,
  /** Log lines about calls of strangers: at once, and per second after that. */
  logBurst: 20,
  logPerSecond: 1,
} as const;
