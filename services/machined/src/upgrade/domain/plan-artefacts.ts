// Which artefacts the store of a node keeps.

/** An artefact in the store. */
export interface KeptArtefact {
  readonly digest: string;
  readonly sizeBytes: number;
  /** On a monotonic clock. */
  readonly usedAtMs: number;
  /** It is being read. */
  readonly isInUse: boolean;
}

export const storeLimits = {
  /** One that the machine may need again, and one for the next upgrade. */
  artefacts: 2,
  /** Since its last use. Source: Talos v1.14: ImageService, images that nothing refers to */
  unusedMs: 60 * 60_000,
  checkIntervalMs: 15 * 60_000,
  /** What a store leaves free on its file system: pods need it, too. */
  reserveBytes: 256 * 1024 * 1024,
} as const;

/** The digests of those that nobody has used for a while. */
export const unusedArtefacts = (artefacts: readonly KeptArtefact[], nowMs: number): string[] =>
  artefacts
    .filter(({ isInUse, usedAtMs }) => !isInUse && nowMs - usedAtMs >= storeLimits.unusedMs)
    .map(({ digest }) => digest);

/**
 * The digests of those that have to go before another one is written, least recently used first; undefined when there is no room for it
 * without one that is in use.
 */
export function makeRoom(
  artefacts: readonly KeptArtefact[],
  { neededBytes, freeBytes }: { readonly neededBytes: number; readonly freeBytes: number },
): string[] | undefined {
  const removable = artefacts.filter(({ isInUse }) => !isInUse).toSorted((a, b) => a.usedAtMs - b.usedAtMs);
  const removed: string[] = [];
  let [count, free] = [artefacts.length, freeBytes];
  const isEnough = () => count < storeLimits.artefacts && free >= neededBytes + storeLimits.reserveBytes;
  for (const { digest, sizeBytes } of removable) {
    if (isEnough()) break;
    removed.push(digest);
    count -= 1;
    free += sizeBytes;
  }
  return isEnough() ? removed : undefined;
}
