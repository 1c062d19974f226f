// What a selector of disks sees, and what its result means for a new partition.
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

/** Why a selector leads to no disk at all; undefined when it selects one. */
export function placementProblem(expression: string, selection: Selection): string | undefined {
  if ('problem' in selection) return selection.problem;
  return selection.selected.length === 0 ? selectorProblem({ expression }, 'selects no disk') : undefined;
}

/** Whether a selector leads to other disks than the system disk. */
export const selectsOthers = (selection: Selection | undefined, systemDisk: string): boolean =>
  selection !== undefined &&
  'selected' in selection &&
  selection.selected.length > 0 &&
  !selection.selected.includes(systemDisk);
