import { ociLimits } from '../oci-limits.ts';
import type { StoredManifest } from './image-folder.ts';

/** A manifest, and the file that it was read from. */
export interface KeptManifest {
  /** See `StoredFile.identity`. */
  readonly identity: string;
  readonly manifest: StoredManifest;
}

const { bytes: limitBytes, manifests: limitManifests } = ociLimits.manifestMemory;

/**
 * Manifests that were read and verified lately, by the paths of their files. To read one from its files takes eight turns of the event loop
 * (open, stat, read and close, for the tag and for the digest), and other clients may be served before each of them. With this class one turn is
 * enough: the caller only asks for the identities of the files, to see that they are still the same.
 */
export class ManifestMemory {
  readonly #kept = new Map<string, KeptManifest & { readonly untilMs: number }>();
  readonly #goodForMs: number;
  readonly #nowMs: () => number;
  #bytes = 0;

  /** @param goodForMs for how long a manifest is kept, in ms @param nowMs a monotonic clock */
  constructor(goodForMs: number, nowMs: () => number) {
    this.#goodForMs = goodForMs;
    this.#nowMs = nowMs;
  }

  get(path: string): KeptManifest | undefined {
    const kept = this.#kept.get(path);
    return kept !== undefined && this.#nowMs() < kept.untilMs ? kept : undefined;
  }

  /** Keeps a manifest in place of the last one with this path, and if necessary of those that were kept first. */
  keep(path: string, kept: KeptManifest): void {
    this.#drop(path);
    this.#kept.set(path, { ...kept, untilMs: this.#nowMs() + this.#goodForMs });
    this.#bytes += kept.manifest.bytes.length;
    for (const first of this.#kept.keys()) {
      if (this.#bytes <= limitBytes && this.#kept.size <= limitManifests) return;
      this.#drop(first);
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#kept.get(path)?.manifest.bytes.length ?? 0;
    this.#kept.delete(path);
  }
}
