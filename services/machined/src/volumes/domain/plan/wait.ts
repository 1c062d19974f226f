// Phase 2: what has to be known or there before anything is created.
import { isEvaluated } from '../selected-disk.ts';
import type { PhasePlanner, VolumePlan, VolumeWait } from './volume-plan.ts';

const waitFor = (waitsFor: VolumeWait): VolumePlan => ({ phase: 'wait', steps: [], waitsFor });
const refuse = (kind: 'not-found' | 'failed-precondition', message: string): VolumePlan => ({
  ...{ phase: 'wait', steps: [] },
  refusal: { kind, message },
});

/**
 * Only a new partition waits: it must not take the place of one on a disk that appears later. A folder waits for the mount of its parent,
 * because it belongs on the partition, not below its mount point.
 */
export const planWait: PhasePlanner = (volume, facts, located) => {
  if (volume.path === undefined) return refuse('failed-precondition', 'its parent volume is not there');
  if (!facts.isParentMounted) return waitFor('parent');
  const { partition } = volume;
  if (partition === undefined || located.kind === 'open') return undefined;
  if (facts.isBeingReset) return refuse('failed-precondition', 'the node is being reset');
  if (located.kind === 'found') return undefined;
  if (partition.selector === '')
    return refuse('not-found', `${facts.disk?.path ?? 'the node'} has no partition ${partition.wish.label}`);
  if (!facts.areDevicesKnown) return waitFor('devices');
  return isEvaluated(partition.selector) && facts.selection === undefined ? waitFor('selection') : undefined;
};
