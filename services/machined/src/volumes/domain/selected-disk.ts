// Decides which disk a new partition goes to, from the disks that a selector selects.
import { Fault } from '@nodewright/fault';
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
 * The disks on which a new partition may be created, the preferred one first: without a selector of the configuration the system disk,
 * and with one the system disk if it is selected, otherwise the selected disks by path.
 *
 * @param disks those that can hold partitions
 * @throws Fault `failed-precondition` that quotes the selector when it selects none of them
 */
export function chosenDisks<D extends { readonly path: string; readonly isSystemDisk: boolean }>(
  expression: string,
  selection: Selection | undefined,
  disks: readonly D[],
): readonly D[] {
  const own = disks.filter(({ isSystemDisk }) => isSystemDisk);
  if (!isEvaluated(expression) || selection === undefined) return own;
  if ('problem' in selection) throw new Fault('failed-precondition', selection.problem);
  const { selected } = selection;
  const refuse = (text: string) => new Fault('failed-precondition', selectorProblem({ expression }, text));
  if (selected.length === 0) throw refuse('selects no disk');
  if (own.some(({ path }) => selected.includes(path))) return own;
  const chosen = disks.filter(({ path }) => selected.includes(path));
  if (chosen.length === 0)
    throw refuse(
      `selects ${shown(selected)}, which cannot hold a volume: it is not a disk with sectors of 512 bytes, or it cannot be read`,
    );
  return chosen.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const maxShown = 4;

const shown = (names: readonly string[]) =>
  names.length > maxShown
    ? `${names.slice(0, maxShown).join(', ')} and ${names.length - maxShown} more`
    : names.join(', ');
