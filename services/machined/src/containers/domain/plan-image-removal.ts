import { type ImageReference, parseImageReference } from '@nodewright/oci';

/** An image of the node's own services, as the runtime has it. */
export interface StoredImage {
  readonly reference: string;
  readonly createdAtMs: number;
}

export interface ImagesOfServices {
  readonly images: readonly StoredImage[];
  /** What the services of the node are to be started from, and what their containers were made from. */
  readonly named: readonly string[];
  /** Since when nothing has named an image, by its reference: the result of the pass before. */
  readonly unnamedSinceMs: ReadonlyMap<string, number>;
  /** Monotonic. */
  readonly nowMs: number;
}

export interface ImageRemoval {
  readonly remove: readonly string[];
  readonly unnamedSinceMs: ReadonlyMap<string, number>;
}

/** Long enough for an upgrade of a cluster that is taken back. */
export const keepUnnamedMs = 3 * 24 * 3_600_000;

/**
 * Which images no service needs any more: older ones of the repository of an image that is in use, after a time without
 * a name. An image of another repository may be for something else, and a newer one may be there for the next upgrade.
 */
export function planImageRemoval({ images, named, unnamedSinceMs, nowMs }: ImagesOfServices): ImageRemoval {
  const wanted = new Set(named.map(complete));
  const inUse = images.filter(({ reference }) => wanted.has(complete(reference)));
  const isOld = ({ reference, createdAtMs }: StoredImage) =>
    !wanted.has(complete(reference)) &&
    inUse.some(
      (used) => used.createdAtMs > createdAtMs && repositoryOf(used.reference) === repositoryOf(reference),
    );
  const since = new Map(
    images.filter(isOld).map(({ reference }) => [reference, unnamedSinceMs.get(reference) ?? nowMs]),
  );
  const remove = [...since].filter(([, sinceMs]) => nowMs - sinceMs >= keepUnnamedMs).map(([name]) => name);
  return { remove, unnamedSinceMs: since };
}

function parsed(text: string): ImageReference | undefined {
  try {
    return parseImageReference(text);
  } catch {
    // A name that somebody gave to an image of the runtime.
    return undefined;
  }
}

function complete(text: string): string {
  const { registry, repository, tag, digest } = parsed(text) ?? { registry: '', repository: text };
  return `${registry}/${repository}:${digest ?? tag}`;
}

function repositoryOf(text: string): string {
  const { registry, repository } = parsed(text) ?? { registry: '', repository: text };
  return `${registry}/${repository}`;
}
