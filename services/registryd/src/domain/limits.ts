/** The limits of downloads and of the cache. */
export const registrydLimits = {
  /** Blobs that are downloaded at the same time; further ones wait. */
  downloads: 3,
  /** A blob that is not complete after this time fails, in ms. Source: Talos v1.14: internal pulls. */
  downloadMs: 20 * 60_000,
  /** A download whose last reader left continues for this long, in ms: clients that lost a connection come back. */
  lingerMs: 5000,
  /** Attempts in a row that bring no byte. */
  fruitlessAttempts: 3,
  /** Bytes that are written at once. */
  writeBytes: 256 * 1024,
  /** The longest time for which received bytes wait for others before they are written, in ms. */
  writeDelayMs: 500,
  /** A tag that was resolved within this time is not resolved again, in ms. */
  freshTagMs: 60_000,
  /** Tags whose time of resolution is remembered. */
  freshTags: 1024,
  /** Time between two collections, in ms. Source: Talos v1.14: internal pulls, image GC. */
  collectMs: 15 * 60_000,
  /** Content that was used within this time is kept, in ms. Source: Talos v1.14: internal pulls, image GC. */
  graceMs: 60 * 60_000,
  /** The same when space is needed for a download. */
  pressureGraceMs: 5 * 60_000,
  /** Unfinished downloads are kept for this long, in ms. */
  unfinishedMs: 24 * 60 * 60_000,
  /** The time of use of an image is written at most this often, in ms. */
  touchMs: 10 * 60_000,
  /** The share of a file system that downloads leave free. */
  freeShare: 0.05,
  /** Of the management: its requests have a name at most. */
  management: {
    messageBytes: 64 * 1024,
    /** The time between two answers to calls that came together, in ms: a flood leaves the processor to the other daemons. */
    answerMs: 2,
    transport: {
      ...{ maxConcurrentCalls: 64, handshakesInFlight: 1 },
      ...{ connectionReceiveBytes: 256 * 1024, serverReceiveBytes: 4 * 1024 * 1024 },
    },
  },
} as const;
