/**
 * How much a stream of documents may be. Real configurations stay far below each of these, those with megabytes of
 * manifests in them too: a manifest is one value. What reads a stream refuses it at the first limit that it meets.
 */
export const configurationLimits = {
  /** Of the text in UTF-8. */
  sizeBytes: 8 * 1024 ** 2,
  documents: 1000,
  /** Collections inside each other. What walks the tree calls itself so often. */
  depth: 200,
  /** Keys, scalars and collections of all documents, and once more those that aliases repeat. */
  nodes: 30_000,
  aliases: 1000,
  /** Words of the text, line ends and comments included; a text in a block is one. */
  words: 200_000,
} as const;

/** Such as `30,000`. */
export function formatLimit(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** The most that a text may hold, for messages. */
export const sizeLimitText = `${configurationLimits.sizeBytes / 1024 ** 2} MiB`;
