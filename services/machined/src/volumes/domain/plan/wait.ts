// Phase 2: what has to be known or there before anything is created.
import { isEvaluated } from '../selected-disk.ts';
import {
  identityText,
  type LocatedVolume,
  type PhasePlanner,
  type VolumeFacts,
  type VolumePlan,
  type VolumeWait,
} from './volume-plan.ts';

const waitFor = (waitsFor: VolumeWait): VolumePlan => ({ phase: 'wait', steps: [], waitsFor });
const refuse = (kind: 'not-found' | 'failed-precondition' | 'unavailable', message: string): VolumePlan => ({
  ...{ phase: 'wait', steps: [] },
  refusal: { kind, message },
});

/**
 * Only a new partition waits, and one that is not on the system disk: it must not take the place of one on a disk that appears later. A folder waits for the mount of its parent,
 * because it belongs on the partition, not below its mount point.
 */
export const planWait: PhasePlanner = (volume, facts, located) => {
  if (volume.path === undefined) return refuse('failed-precondition', 'its parent volume is not there');
  if (!facts.isParentMounted) return waitFor('parent');
  const { partition } = volume;
  if (partition === undefined || located.kind === 'open') return undefined;
  if (facts.isBeingReset) return refuse('failed-precondition', 'the node is being reset');
  // The same disk may appear a second time, by another path.
  if (located.kind === 'found')
    return located.recorded !== undefined && !facts.areDevicesKnown ? waitFor('devices') : undefined;
  if (located.kind === 'unclear')
    return refuse('failed-precondition', `volume ${volume.id} cannot be told apart: ${located.message}`);
  if (located.kind === 'missing') {
    const plan = planMissing(volume.id, located, facts);
    if (plan !== undefined) return plan;
  }
  if (partition.selector === '')
    return refuse('not-found', `${facts.disk?.path ?? 'the node'} has no partition ${partition.wish.label}`);
  if (!facts.areDevicesKnown) return waitFor('devices');
  if (facts.recorded === 'lost')
    return refuse(
      'failed-precondition',
      `META was damaged, so it is not known whether volume ${volume.id} is on another disk: reset it to create it anew (talosctl reset --system-labels-to-wipe ${volume.id})`,
    );
  return isEvaluated(partition.selector) && facts.selection === undefined ? waitFor('selection') : undefined;
};

/** Undefined when the partition certainly was never created: its disk is there, has none, and nothing was written that could be lost. */
function planMissing(
  id: string,
  { place, disk }: LocatedVolume & { readonly kind: 'missing' },
  { areDevicesKnown, others = [] }: VolumeFacts,
): VolumePlan | undefined {
  const what = `volume ${id} is ${identityText(place)}`;
  const giveUp = `reset the volume to give it up (talosctl reset --system-labels-to-wipe ${id})`;
  if (disk !== undefined) {
    if (!place.isMade) return undefined;
    return refuse('not-found', `${what}, and ${disk.path} has no such partition any more: ${giveUp}`);
  }
  if (!areDevicesKnown) return waitFor('devices');
  const unknown = others.flatMap(({ path, state }) =>
    state.kind === 'unknown' ? [`${path}: ${state.problem}`] : [],
  );
  if (unknown.length > 0)
    return refuse('unavailable', `${what}, and not all disks can be read: ${unknown.join('; ')}`);
  return refuse('not-found', `${what}, which is not there: connect the disk, or ${giveUp}`);
}
