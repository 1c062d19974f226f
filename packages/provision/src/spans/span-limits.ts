/** The limits of what a supervisor keeps and answers. docs/other-limits.md lists them with the tests that attack them. */
export const spanLimits = {
  keptBytes: 16 * 1024 * 1024,
  /** Requests that are kept: small ones must not cost more than large ones. */
  keptRequests: 16_384,
  /** Of one export request. Nodes send at most 512 spans in one. */
  requestBytes: 4 * 1024 * 1024,
  /** Of all requests that have not arrived as a whole. */
  arrivingBytes: 64 * 1024 * 1024,
  headBytes: 4 * 1024,
  /** Time to send the head of a request, and to send a whole request. */
  headMs: 5_000,
  requestMs: 10_000,
  /** Nodes have one or two connections per daemon. */
  connections: 512,
  /** Programs that read at the same time, and the time that one may take. */
  readers: 16,
  readerMs: 30_000,
} as const;

export type SpanLimits = Readonly<Record<keyof typeof spanLimits, number>>;
