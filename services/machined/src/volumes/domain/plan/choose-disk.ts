// The disk of a new partition.
import { volumeTable } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';
import { selectorProblem } from '@nodewright/machine-config/selectors';
import { unfinishedLabel, withPartition } from '../change-partitions.ts';
import { placementProblem } from '../selected-disk.ts';
import type { OtherDisk, PlannedPartition, VolumeFacts } from './volume-plan.ts';

/** A disk on which a partition can be created. */
export type UsableDisk = OtherDisk & { readonly state: { readonly kind: 'table' | 'blank' } };

/** What only a disk of a machine of this system has. */
const labelsOfMachines = new Set(
  volumeTable
    .filter(({ partition }) => partition !== undefined)
    .flatMap(({ id }) => [id, unfinishedLabel(id)]),
);

/**
 * The disk for a new partition: undefined for the system disk, which is taken when it is selected. Otherwise it is the first selected one,
 * by path, that has room.
 *
 * @throws Fault that says why no disk can be used. A selected disk that cannot be read, that may be the same as another one, or that is of
 * another machine, fails the volume, and no other disk is taken in its place
 */
export function diskOfNew(
  { wish, selector }: PlannedPartition,
  { disk: system, selection, others, guid }: VolumeFacts,
): UsableDisk | undefined {
  if (selection === undefined || system === undefined) return undefined;
  const problem = placementProblem(selector, selection);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  const selected = 'selected' in selection ? selection.selected : [];
  if (selected.includes(system.path)) return undefined;
  if (others === undefined) throw new Fault('unavailable', 'the other disks were not looked at yet');
  // Expressions such as `disk.size > 10u * GB` select devices as well that hold no volumes, such as a loop device or the array of a RAID.
  const paths = selected.toSorted();
  const chosen = paths.flatMap((path) => others.filter((one) => one.path === path));
  for (const disk of chosen) checkKnown(disk, [...others.filter((one) => one !== disk)], system.table.guid);
  const failures: Fault[] = [];
  for (const disk of chosen) {
    const usable = usableOr(disk, failures);
    if (usable === undefined) continue;
    if (usable.state.kind === 'blank') return usable;
    try {
      withPartition(usable.state.table, disk.sectors, wish, guid);
      return usable;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      failures.push(new Fault(error.kind, `${disk.path}: ${error.message}`, { cause: error }));
    }
  }
  const text = `selects ${paths.join(', ')}, which cannot hold a volume`;
  throw failures[0] ?? new Fault('failed-precondition', selectorProblem({ expression: selector }, text));
}

/** @throws Fault when it is not certain what the disk is */
function checkKnown(disk: OtherDisk, rest: readonly OtherDisk[], systemTable: string): void {
  const { path, state, identity } = disk;
  const refuse = (what: string) => new Fault('failed-precondition', `${path} ${what}`);
  if (state.kind === 'unknown') throw new Fault('unavailable', `${path} cannot be used: ${state.problem}`);
  const tableOf = (one: OtherDisk) => (one.state.kind === 'table' ? one.state.table.guid : undefined);
  const own = tableOf(disk);
  const twin = rest.find(
    (one) => (identity !== '' && one.identity === identity) || (own !== undefined && tableOf(one) === own),
  );
  if (twin !== undefined || own === systemTable)
    throw refuse(
      `and ${twin?.path ?? 'the system disk'} are the same disk, or one is a copy: volumes on disks with several paths are not implemented`,
    );
  const stranger =
    state.kind === 'table' && state.table.partitions.find(({ label }) => labelsOfMachines.has(label));
  if (stranger)
    throw refuse(
      `has a partition ${stranger.label} that META does not record, so it is of another machine: wipe the disk if nobody needs it, or select another one`,
    );
}

function usableOr(disk: OtherDisk, failures: Fault[]): UsableDisk | undefined {
  const { path, state, isReadOnly } = disk;
  const fail = (what: string) => void failures.push(new Fault('failed-precondition', `${path} ${what}`));
  if (isReadOnly) return fail('is read-only');
  if (state.kind === 'blank') return { ...disk, state };
  if (state.kind === 'table' && state.additionProblem === undefined) return { ...disk, state };
  const problem = state.kind === 'table' ? state.additionProblem : undefined;
  return fail(
    `${problem ?? 'has no GPT partition table and is not empty'}: wipe it if nobody needs it (talosctl wipe disk ${path.slice(path.lastIndexOf('/') + 1)})`,
  );
}
