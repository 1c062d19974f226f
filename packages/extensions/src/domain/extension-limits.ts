const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

/** What an extension may have at most. It is refused beyond that, before anything of it is written. */
export const extensionLimits = {
  /** Layers of its image. */
  layers: 32,
  /** Bytes of a compressed layer, and of an archive with an image. */
  packedBytes: gibibyte,
  /** Bytes of one file. */
  fileBytes: gibibyte,
  /** Bytes of all files, of which each counts as often as it has names. */
  totalBytes: 2 * gibibyte,
  /** Bytes of all decompressed layers: the files, with a header and padding for each. */
  unpackedBytes: 2 * gibibyte + 128 * mebibyte,
  /** Files, folders and links. */
  entries: 50_000,
  /** Bytes of a path below the root. Linux: PATH_MAX is 4096, with the root in front of it. */
  pathBytes: 1024,
  /** Bytes of a name between two slashes. Linux: NAME_MAX. */
  nameBytes: 255,
  /** Names in a path. */
  depth: 64,
  /** Bytes of the target of a link. */
  targetBytes: 1024,
  /** Bytes of `manifest.yaml`. */
  manifestBytes: 64 * kibibyte,
  /** Bytes of an extended header of a tar archive, which is read into memory. */
  extendedHeaderBytes: 64 * kibibyte,
  /** Extended attributes of one file. They are read, and never kept. */
  attributes: 1000,
  /** Indexes that lead to the manifest of an image. */
  indexDepth: 4,
} as const;

/** Bytes as people read them: `2 GiB`. */
export function showBytes(bytes: number): string {
  const [unit, name] =
    bytes >= gibibyte ? [gibibyte, 'GiB'] : bytes >= mebibyte ? [mebibyte, 'MiB'] : [kibibyte, 'KiB'];
  return bytes < kibibyte ? `${bytes} bytes` : `${Math.floor((bytes / unit) * 10) / 10} ${name}`;
}
