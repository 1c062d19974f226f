import type { CallOptions, Labels } from './container-runtime.ts';

/**
 * The images of one namespace. References are whole: `registry/name:tag`, or `registry/name@sha256:…`. Faults as in
 * `container-runtime.ts`.
 */
export interface ImageStore {
  /** Sorted by reference. */
  list(options?: CallOptions): Promise<ImageInfo[]>;
  get(reference: string, options?: CallOptions): Promise<ImageInfo>;
  /**
   * Brings the image here. Yields how its layers come along, then once, last, the image. Whether it is here already
   * is asked of the registry. Leaving the loop, or aborting, ends the pull.
   */
  pull(reference: string, options?: PullOptions): AsyncIterable<PullStep>;
  /**
   * Takes in a tar archive: an OCI image layout, or what `docker save` writes; what of it is for this platform. Yields
   * the images that have names, in the archive's order. `invalid-argument` when there is none in it.
   */
  import(archive: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<ImageInfo[]>;
  /** Gives an image another reference; one that had it loses it. */
  tag(source: string, target: string, options?: CallOptions): Promise<ImageInfo>;
  /** Removes the reference, and the content once nothing refers to it. */
  remove(reference: string, options?: CallOptions): Promise<void>;
}

export interface ImageInfo {
  readonly reference: string;
  /** What the reference stands for: `sha256:…`. */
  readonly digest: string;
  /** Bytes: what it takes here, as the runtime counts. */
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  readonly labels: Labels;
}

export interface PullOptions extends CallOptions {
  /** `password` is a secret: it never shows in a Fault or a trace. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

export type PullStep =
  | { readonly kind: 'layer'; readonly layer: LayerProgress }
  | { readonly kind: 'done'; readonly image: ImageInfo };

/** How far one layer is. Source: Talos v1.14: ImageService, pull progress. */
export interface LayerProgress {
  /** Digest, or the runtime's short form of it. */
  readonly id: string;
  readonly status: 'downloading' | 'downloaded' | 'extracting' | 'extracted' | 'already-exists';
  /** Since the pull saw this layer first. */
  readonly elapsedMs: number;
  /** Bytes so far, and in all; both 0 while they are not known. */
  readonly offsetBytes: number;
  readonly totalBytes: number;
}
