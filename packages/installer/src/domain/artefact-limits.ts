const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** What an artefact of the installer may have at most. It is refused beyond that. */
export const artefactLimits = {
  layers: 32,
  /** Bytes of all layers as they are stored and sent. */
  packedBytes: 2 * gibibyte,
  /** Bytes of all files. */
  fileBytes: 2 * gibibyte,
  /** Bytes of an archive with an artefact: its layers, the documents, and what tar adds. */
  archiveBytes: 2 * gibibyte + 32 * mebibyte,
  /** Bytes that a layer may have when it is decompressed, besides its files and their headers. */
  spareBytes: mebibyte,
  files: 20_000,
  /** Keys that the system of the artefact trusts. */
  certificates: 4,
  /** Characters of a certificate. */
  certificateLength: 8192,
  /** Indexes that lead to the manifest. */
  indexDepth: 4,
  /** Requests for one layer when a registry ends it early. */
  registryAttempts: 5,
  /** A registry that sends less, from the first byte of a layer on, is given up. */
  registryBytesPerSecond: 32 * 1024,
  /** How long a registry may send nothing or little at the beginning of a layer. */
  registryGraceMs: 60_000,
} as const;
