import { type DiskFinding, DiskProblem } from './examine-disk.ts';
import type { Phase } from './plan-moments.ts';

type Start = Pick<DiskFinding, 'started' | 'choice'>;

/**
 * Whether a machine may find this after a power cut in the phase. What starts is whole, which was examined: this is about which system it may
 * be. Before the confirmation every start but the first has the old system.
 *
 * @throws DiskProblem
 */
export function judgeStart({ started, choice }: Start, phase: Phase): void {
  const problem = problemOf({ started, choice }, phase);
  if (problem !== undefined) throw new DiskProblem(problem);
}

function problemOf({ started, choice }: Start, phase: Phase): string | undefined {
  if (phase === 'install') {
    // It starts the medium, or what was installed from it.
    if (started !== undefined && started.slot !== 'A') return `slot ${started.slot} was never installed`;
    return undefined;
  }
  if (started === undefined) return 'the disk starts nothing';
  if (phase === 'upgrade' && choice.default !== 'A')
    return `the default is ${choice.default ?? 'lost'} before the new system is confirmed`;
  if (choice.default === undefined) return 'the choice of the boot loader is lost';
  if (phase === 'upgrade' && started.slot === 'B' && choice.once !== 'B')
    return 'the new system starts, and it was not chosen';
  return undefined;
}
