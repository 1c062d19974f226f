/**
 * What a peer may cost on one connection. Each limit is attacked in `floods.test.ts`. The limits on calls,
 * cancels, windows and header lists are in `H2Limits`, because they differ between clients and daemons.
 */
export const floodLimits = {
  /**
   * Frames that cost work and bring no call and no body: PING, SETTINGS, WINDOW_UPDATE, PRIORITY, empty DATA,
   * frames of unknown types and of closed streams. The burst is large, because answering 10,000 PINGs costs
   * as little as one TLS handshake: a peer that is disconnected sooner gains by coming back.
   */
  idleFrames: { burst: 10_000, perSecond: 500 },
  /**
   * Idle frames that a frame with a body, or a new call, allows: windows and probes follow bodies. A sent frame that a window has cut
   * short allows none: its peer could ask for a body byte by byte.
   */
  idleFramesPerUsefulFrame: 8,
  /**
   * Body bytes whose sending allows one idle frame. A peer returns windows for what it reads: Go's net/http in steps of 4 KiB, for the
   * stream and for the connection.
   */
  sentBytesPerIdleFrame: 1024,
  /** Answers to PING and SETTINGS, and refused calls, that the socket holds because the peer does not read. */
  waitingAnswers: 10_000,
  /** Settings in one frame; six are defined. nghttp2 has the same. */
  settingsPerFrame: 32,
  /** Frames of one header block besides those that its size needs; clients send full frames. */
  spareContinuations: 8,
  /** Bytes per CONTINUATION frame that a block of many frames must have on average. */
  bytesPerContinuation: 4096,
  /** Fields of a header list. */
  fields: 4096,
} as const;

/** How much of a connection may be in memory. */
export const queueLimits = {
  /** At this many bytes the writer of a call is asked to wait. */
  streamBytes: 64 * 1024,
  /** Below this many bytes the writer of a call may go on. */
  streamResumeBytes: 32 * 1024,
  /** Bytes in the socket at which streams keep their bodies and headers. */
  socketBytes: 256 * 1024,
  /**
   * Body bytes of one connection that nobody has read: then the window of the connection stays closed.
   * Budgets of callers (`limitUnread`) are smaller, so they end the calls before.
   */
  unreadBytes: 64 * 1024 * 1024,
  /** Calls that wait at a client for a server's limit on open calls. Further ones are refused. */
  waitingCalls: 4096,
} as const;

/** How a connection ends, after the last frame. */
export const endLimits = {
  /** How long the peer may take to read the last frames, in milliseconds. */
  lingerMs: 500,
  /** What is still read meanwhile, and dropped: more closes the connection at once. */
  lingerBytes: 1024 * 1024,
} as const;
