/**
 * Limits for a stream of documents. Real configurations are far below them, even with megabytes of manifests,
 * because a manifest is one value. The reader rejects a stream at the first limit that it exceeds.
 */
export const configurationLimits = {
  /** Size of the text in UTF-8. */
  sizeBytes: 8 * 1024 ** 2,
  documents: 1000,
  /** Nesting depth of collections. Code that walks the tree recurses to this depth. */
  depth: 200,
  /** Keys, scalars and collections of all documents. Those repeated by aliases have the same limit again. */
  nodes: 30_000,
  aliases: 1000,
  /** YAML tokens, including line ends and comments. A block scalar is one token. */
  words: 200_000,
} as const;

/** Formats a limit such as `30,000`. */
export function formatLimit(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** The size limit, for messages. */
export const sizeLimitText = `${configurationLimits.sizeBytes / 1024 ** 2} MiB`;
