import type { MachineStatusSpec, UpgradeStatusSpec } from '@nodewright/state/kinds';

/** What became of the system that a plan has written. */
export type TriedSystem =
  /** It cannot be told yet. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The next start tries it. */
  | { readonly kind: 'armed' }
  | { readonly kind: 'trying'; readonly reason: string }
  /** Every start has it, and the node is not ready. */
  | { readonly kind: 'not ready' }
  | { readonly kind: 'kept' }
  | { readonly kind: 'lost'; readonly reason: string };

/** @param slot of the new system */
export function triedSystem(
  slot: string,
  status: UpgradeStatusSpec | undefined,
  machine: MachineStatusSpec | undefined,
): TriedSystem {
  if (status === undefined || status.mode === '') {
    const reason = status?.reason ?? '';
    // A start that could not put its systems in order says why, and stays so until the next one.
    if (status !== undefined && reason !== '' && status.slot !== slot && status.trial !== slot)
      return { kind: 'lost', reason: `the node is back on the system before: ${reason}` };
    return { kind: 'unknown', reason: reason || 'the systems of this node are not known yet' };
  }
  if (status.slot === slot) {
    if (status.mode === 'by hand')
      return { kind: 'lost', reason: `somebody has started the system in slot ${slot} by hand` };
    // A trial in the record says nothing: the boot loader is changed first, and the write of the record may have failed.
    if (status.mode === 'trial')
      return { kind: 'trying', reason: status.reason || 'the new system is not confirmed yet' };
    return { kind: machine?.stage === 'running' && machine.status.ready ? 'kept' : 'not ready' };
  }
  if (status.trial === slot) return { kind: 'armed' };
  const why = status.failed === slot && status.reason !== '' ? `: ${status.reason}` : '';
  return { kind: 'lost', reason: `the node is back on the system before${why}` };
}

/** The slot of a system that the next start tries; `undefined` when there is none. */
export const armedSlot = (status: UpgradeStatusSpec | undefined): string | undefined =>
  status !== undefined && status.trial !== '' && status.trial !== status.slot ? status.trial : undefined;
