// Phases 6 to 8: a volume is unmounted, closed and forgotten. Its data stay: only a reset removes them.
import type { VolumeFacts, VolumePhaseName, VolumePlan, VolumeStep } from './volume-plan.ts';

/** How far a volume goes back: until it is not mounted any more, or until the node knows nothing of it. */
export type WayBackEnd = VolumePhaseName & ('unmount' | 'forget');

/** What is to be done for a volume that nothing uses any more. A pure function, which may be called again after each of the steps. */
export function planWayBack(
  id: string,
  end: WayBackEnd,
  { mounted, open }: Pick<VolumeFacts, 'mounted' | 'open'>,
): VolumePlan {
  const close: VolumeStep[] = open === undefined || end === 'unmount' ? [] : [{ kind: 'close', id }];
  if (mounted !== undefined)
    return { phase: 'unmount', steps: [{ kind: 'unmount', target: mounted.target }, ...close] };
  return { phase: close.length > 0 ? 'close' : end, steps: close };
}
