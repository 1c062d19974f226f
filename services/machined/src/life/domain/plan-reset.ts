import { type VolumeId, volumeTable, wipeableVolumes } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';

export const wipeModes = ['all', 'system-disk', 'user-disks'] as const;
export type WipeMode = (typeof wipeModes)[number];

/** A request of Reset. */
export interface ResetWish {
  readonly graceful: boolean;
  readonly reboot: boolean;
  readonly mode: WipeMode;
  readonly partitions: readonly { readonly label: string; readonly wipe: boolean }[];
  /** Device paths. */
  readonly userDisks: readonly string[];
}

export interface ResetPlan {
  /** Whether to leave the cluster first. */
  readonly isGraceful: boolean;
  readonly end: 'reboot' | 'power-off';
  /** The volumes to wipe; empty if only user disks are to be wiped. */
  readonly volumes: readonly VolumeId[];
  /** The whole node, not a list of volumes: on a machine, the whole system disk. */
  readonly isWhole: boolean;
  /** Device paths of the other disks to wipe. */
  readonly userDisks: readonly string[];
}

/** What a reset wipes on the system disk. */
export type WipePlan = Pick<ResetPlan, 'volumes' | 'isWhole'>;

/** Returns why a disk is not wiped, such as `is readonly`; undefined when it can be. */
export type UserDiskProblem = (path: string) => string | undefined;

/**
 * Plans a reset. Source: Talos v1.14: Reset request.
 *
 * @throws Fault `unknown`, as upstream does, for contradictory or unknown values; `invalid-argument` for a
 * list without any volume to wipe, which must not mean all volumes
 */
export function planReset(
  { graceful, reboot, mode, partitions, userDisks }: ResetWish,
  userDiskProblem: UserDiskProblem = withoutDisks,
): ResetPlan {
  if (mode === 'system-disk' && userDisks.length > 0) {
    throw refusal(`wipe mode SYSTEM_DISK leaves user disks alone, but ${quoted(userDisks)} is listed`);
  }
  if (mode === 'user-disks' && partitions.length > 0) {
    const labels = partitions.map(({ label }) => label);
    throw refusal(`wipe mode USER_DISKS leaves system partitions alone, but ${quoted(labels)} is listed`);
  }
  for (const disk of userDisks) {
    const problem = userDiskProblem(disk);
    if (problem !== undefined) throw refusal(`reset user disk failed: device ${disk} ${problem}`);
  }

  const volumes = mode === 'user-disks' ? [] : volumesOf(partitions);
  return {
    isGraceful: graceful,
    end: reboot ? 'reboot' : 'power-off',
    volumes,
    isWhole: mode !== 'user-disks' && partitions.length === 0,
    userDisks,
  };
}

/** A node that shares its machine with others has no disk of its own. */
function withoutDisks(): string {
  return "wasn't found";
}

function volumesOf(partitions: ResetWish['partitions']): readonly VolumeId[] {
  if (partitions.length === 0) return wipeableVolumes;
  const labels = new Set(partitions.filter(({ wipe }) => wipe).map(({ label }) => label));
  if (labels.size === 0)
    throw new Fault('invalid-argument', 'the list of system partitions names no partition that can be wiped');
  for (const label of labels) {
    const volume = volumeTable.find(({ id }) => id === label);
    if (volume?.wipedBy === 'own') continue;
    if (volume?.wipedBy !== 'parent' || volume.parent === undefined) {
      throw refusal(`unknown volume "${label}": this node has ${wipeableVolumes.join(', ')}`);
    }
    if (!labels.has(volume.parent)) {
      throw refusal(`volume "${label}" is a folder of volume "${volume.parent}": list that one as well`);
    }
  }
  return wipeableVolumes.filter((label) => labels.has(label));
}

const refusal = (message: string) => new Fault('unknown', message);
const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
