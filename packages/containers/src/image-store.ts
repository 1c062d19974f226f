import type { CallOptions, Labels } from './container-runtime.ts';

/**
 * The images of one namespace. References are complete: `registry/name:tag`, or `registry/name@sha256:…`.
 * Faults as in `container-runtime.ts`.
 */
export interface ImageStore {
  /** Sorted by reference. */
  list(options?: CallOptions): Promise<ImageInfo[]>;
  get(reference: string, options?: CallOptions): Promise<ImageInfo>;
  /**
   * Downloads an image. Yields the progress of its layers, then once, at the end, the image. It asks the
   * registry even if the image exists. Leaving the loop, or aborting, cancels the pull.
   */
  pull(reference: string, options?: PullOptions): AsyncIterable<PullStep>;
  /**
   * Imports a tar archive for this platform: an OCI image layout, or the output of `docker save`. Yields the
   * images with names, in the order of the archive. `invalid-argument` when it contains no image.
   */
  import(archive: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<ImageInfo[]>;
  /** Adds a reference to an image; another image with that reference loses it. */
  tag(source: string, target: string, options?: CallOptions): Promise<ImageInfo>;
  /** Removes the reference, and the content once nothing refers to it. */
  remove(reference: string, options?: RemoveOptions): Promise<void>;
}

export interface RemoveOptions extends CallOptions {
  /** Also removes the references by digest that nothing needs without it; see `unneededDigests()`. */
  readonly withDigests?: boolean;
}

export interface ImageInfo {
  readonly reference: string;
  /** The target of the reference: `sha256:…`. */
  readonly digest: string;
  /** Size in bytes, as the runtime counts it. */
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  readonly labels: Labels;
}

export interface PullOptions extends CallOptions {
  /** `password` is a secret: it never appears in a Fault or a trace. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

export type PullStep =
  | { readonly kind: 'layer'; readonly layer: LayerProgress }
  | { readonly kind: 'done'; readonly image: ImageInfo };

/** The progress of one layer. Source: Talos v1.14: ImageService, pull progress. */
export interface LayerProgress {
  /** Digest, or the runtime's short form of it. */
  readonly id: string;
  readonly status: 'downloading' | 'downloaded' | 'extracting' | 'extracted' | 'already-exists';
  /** Time since the pull first reported this layer. */
  readonly elapsedMs: number;
  /** Bytes so far, and in total; both 0 while they are unknown. */
  readonly offsetBytes: number;
  readonly totalBytes: number;
}
