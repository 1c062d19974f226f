// Decides whether a new partition goes to the system disk, from the disks that a selector selects.
import {
  type Selection,
  type SelectorCandidate,
  selectorProblem,
} from '@nodewright/machine-config/selectors';
import type { DiskSpec } from '@nodewright/state/kinds';

/**
 * The selector of a system volume whose document has none. Its meaning is known, so it is never evaluated, and a node without
 * selectors of its own never loads the evaluator. Source: Talos v1.14: volumes.
 */
export const systemDiskSelector = 'system_disk';

/** Whether the disks of a volume are chosen by an expression of the configuration. */
export const isEvaluated = (selector: string): boolean => selector !== '' && selector !== systemDiskSelector;

/** What a selector of disks sees of each disk. Source: Talos v1.14: volumes. */
export function diskCandidates(disks: readonly DiskSpec[], systemDisk: string): SelectorCandidate[] {
  return disks.map((disk) => ({
    name: disk.dev_path,
    variables: { disk, system_disk: disk.dev_path === systemDisk },
  }));
}

/**
 * Why a partition is not created on the system disk, where all partitions of this machine are; undefined when the selector selects it,
 * alone or with other disks.
 */
export function placementProblem(
  expression: string,
  selection: Selection,
  systemDisk: string,
): string | undefined {
  if ('problem' in selection) return selection.problem;
  const { selected } = selection;
  if (selected.includes(systemDisk)) return undefined;
  return selectorProblem(
    { expression },
    selected.length === 0
      ? 'selects no disk'
      : `selects ${shown(selected)} and not the system disk ${systemDisk}: volumes on other disks are not implemented`,
  );
}

const maxShown = 4;

const shown = (names: readonly string[]) =>
  names.length > maxShown
    ? `${names.slice(0, maxShown).join(', ')} and ${names.length - maxShown} more`
    : names.join(', ');
