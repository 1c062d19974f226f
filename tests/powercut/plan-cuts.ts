import { SeededRandom } from '../fuzz/seeded-random.ts';

/** What the machine does when its power fails. */
export type CutKind = 'first-boot' | 'first-configuration' | 'new-configuration' | 'reset' | 'extension-set';

/** One power cut. */
export interface Cut {
  /** Such as `reset-03`. */
  readonly name: string;
  readonly kind: CutKind;
  /** Chooses the writes that survive, and the image that is booted. */
  readonly seed: number;
  /** The power fails when this many requests to the disk were recorded since the action began. */
  readonly requests: number;
}

export interface CutKindPlan {
  readonly cuts: number;
  readonly requests: number;
  /** Disks that are drawn for each cut. */
  readonly images: number;
}

/**
 * How often the power fails during each action, and how many requests the action makes, measured. The drawn number may be a
 * little larger than what a machine makes; then the power fails when the action is over.
 */
export const cutKinds: Readonly<Record<CutKind, CutKindPlan>> = {
  'first-boot': { cuts: 20, requests: 110, images: 20 },
  'first-configuration': { cuts: 8, requests: 110, images: 20 },
  // Six requests per configuration, one configuration after the other.
  'new-configuration': { cuts: 12, requests: 30, images: 20 },
  reset: { cuts: 10, requests: 60, images: 20 },
  // 72 requests per set, one set after the other. The disks have BOOT, which is read as a whole.
  'extension-set': { cuts: 10, requests: 220, images: 10 },
};

/** The power cuts of a seed, those of all kinds in turns, so that a part of them is a sample of all. */
export function planCuts(seed: number): Cut[] {
  const random = new SeededRandom(seed);
  const rows = Object.entries(cutKinds) as [CutKind, CutKindPlan][];
  const cuts = rows.flatMap(([kind, { cuts: count, requests }]) =>
    Array.from({ length: count }, (_, index) => ({
      place: (index + 0.5) / count,
      name: `${kind}-${String(index + 1).padStart(2, '0')}`,
      kind,
      seed: random.below(2 ** 32),
      // Spread over the action: each cut has a part of it for itself.
      requests: 1 + Math.floor(((index + random.below(1000) / 1000) * requests) / count),
    })),
  );
  return cuts.toSorted((a, b) => a.place - b.place).map(({ place: _, ...cut }) => cut);
}
