/** The limits of an archive that is read. It may come from anybody. */
export const bundleLimits = {
  /** Bytes of the file. */
  fileBytes: 512 * 1024 * 1024,
  /** Files in it. */
  entries: 20_000,
  /** Bytes of one decompressed file. */
  entryBytes: 256 * 1024 * 1024,
  /** Bytes of all decompressed files. */
  totalBytes: 1024 * 1024 * 1024,
  /** How many times larger a file may be than it was compressed, and the size from which that counts. */
  ratio: 400,
  ratioFromBytes: 1024 * 1024,
  /** Bytes of the name of a file. */
  nameBytes: 1024,
  /** Folders at the top: one for each node. */
  nodes: 1000,
  /** Resources of a node. */
  resources: 200_000,
  /** Bytes of a file with resources, and how deep lists and mappings in brackets may be in each other. */
  yamlBytes: 32 * 1024 * 1024,
  yamlDepth: 200,
  /** Bytes of a line of JSON. */
  lineBytes: 32 * 1024 * 1024,
} as const;
