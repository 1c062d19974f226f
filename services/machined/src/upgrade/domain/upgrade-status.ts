import { knownRecord, type MachineFacts, type MachineStart, type TrialVerdict } from '@nodewright/boot';
import type { DiagnosticSpec, UpgradeStatusSpec } from '@nodewright/state/kinds';

/** What a machine knows of its systems. */
export interface UpgradeState {
  /** Undefined while the boot loader has not been read, or cannot be. */
  readonly facts: MachineFacts | undefined;
  readonly mode: MachineStart['mode'] | undefined;
  /** The last verdict on the running trial. */
  readonly verdict: TrialVerdict | undefined;
  /** Why the slots cannot be read; empty otherwise. */
  readonly problem: string;
}

/** The status that clients see. @param slot the slot that runs */
export function upgradeStatusOf(
  slot: string,
  { facts, mode, verdict, problem }: UpgradeState,
): UpgradeStatusSpec {
  const record = facts && knownRecord(facts);
  return {
    slot,
    mode: mode ?? '',
    trial: record?.trial?.system.slot ?? '',
    reason: problem || reasonOf(verdict) || (record?.trial?.reason ?? '') || (record?.failed?.reason ?? ''),
    previous: record?.previous?.slot ?? '',
    failed: record?.failed?.system.slot ?? '',
    staged: record?.staged?.image ?? '',
    paused: verdict?.kind === 'wait' && verdict.isPaused,
  };
}

const reasonOf = (verdict: TrialVerdict | undefined) =>
  verdict === undefined || verdict.kind === 'confirm' ? '' : verdict.reason;

/** What an operator should look at, by the ids of diagnostics. */
export function upgradeDiagnostics(state: UpgradeState): Readonly<Record<string, DiagnosticSpec>> {
  const { facts, verdict, problem } = state;
  const failed = facts && knownRecord(facts).failed;
  return {
    ...(problem !== '' && {
      'upgrade-slots': {
        message: 'the systems on the disk of this machine cannot be read',
        details: [problem],
      },
    }),
    ...(failed !== undefined && {
      'upgrade-failed': {
        message: `the system in slot ${failed.system.slot} failed its trial, and the one before it runs`,
        details: [failed.reason],
      },
    }),
    ...(verdict?.kind === 'wait' &&
      verdict.isPaused && {
        'upgrade-trial': {
          message: 'the new system is not confirmed: it waits for what was missing before the upgrade, too',
          details: [verdict.reason],
        },
      }),
  };
}
