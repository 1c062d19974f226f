import type { Piece } from '../cache/blob-file.ts';
import type { StoredManifest } from '../cache/image-folder.ts';
import type { ContentTarget } from './parse-target.ts';

/** Where the content comes from. A failure is a Fault; its kind decides the HTTP status. */
export interface DistributionSource {
  manifest(target: ContentTarget, signal: AbortSignal): Promise<StoredManifest>;
  /** Opens a blob. Resolves when its first byte can be read. */
  blob(target: ContentTarget, signal: AbortSignal): Promise<ServedBlob>;
  /** The size of a blob in bytes, without reading it; undefined when it is not known. */
  blobSize(target: ContentTarget, signal: AbortSignal): Promise<number | undefined>;
}

/** A blob that is open until it is disposed of. */
export interface ServedBlob extends AsyncDisposable {
  /** Bytes; undefined while it is not known. */
  readonly size: number | undefined;
  /** See `BlobFile.read`. */
  read(piece: Piece | undefined, signal: AbortSignal): AsyncIterable<Uint8Array>;
}
