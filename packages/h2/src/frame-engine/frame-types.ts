/** Types of frames. Source: RFC 9113, section 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames. `endStream` and `acknowledge` are the same bit in different types. */
export const frameFlags = {
  endStream: 0x1,
  acknowledge: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

/** Identifiers of settings. Source: RFC 9113, section 6.5.2. */
export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** What a client sends first. Source: RFC 9113, section 3.4. */
export const clientPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const frameHeadBytes = 9;
export const settingBytes = 6;
export const pingBytes = 8;
export const priorityBytes = 5;

/** The window of a connection and of each stream until a peer changes it, in bytes. */
export const defaultWindowBytes = 65_535;
/** The largest window, in bytes. */
export const maxWindowBytes = 2 ** 31 - 1;
/** The largest payload that every peer accepts, and the largest that this engine accepts, in bytes. */
export const defaultFrameBytes = 16_384;
/** The largest payload that a peer may allow, in bytes. */
export const maxFrameBytes = 2 ** 24 - 1;
/** The size of HPACK's dynamic table until a peer changes it, in bytes. */
export const defaultTableBytes = 4096;
/** The last number of a stream; after it a connection opens no more. */
export const maxStreamId = 2 ** 31 - 1;
