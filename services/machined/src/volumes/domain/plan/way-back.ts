// Phases 6 to 8: a volume that is not wanted any more is unmounted, closed and forgotten. Its data stay: only a reset removes them.
import type { PlannedVolume, VolumeFacts, VolumePlan, VolumeStep } from './volume-plan.ts';

/** The way back begins when nothing holds the volume any more. */
export function planWayBack(
  { id, path = '' }: Pick<PlannedVolume, 'id' | 'path'>,
  { isMounted, open, holders }: Pick<VolumeFacts, 'isMounted' | 'open' | 'holders'>,
): VolumePlan {
  const unmount: VolumeStep[] = isMounted ? [{ kind: 'unmount', target: path }] : [];
  const close: VolumeStep[] = open === undefined ? [] : [{ kind: 'close', id }];
  const phase = isMounted ? 'unmount' : open === undefined ? 'forget' : 'close';
  if (holders.length > 0) return { phase, steps: [], waitsFor: 'holders' };
  return { phase, steps: [...unmount, ...close] };
}
