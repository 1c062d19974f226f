// What an ApplyConfiguration call is to do, as data. Source: Talos v1.14: ApplyConfiguration.
import { Fault } from '@nodewright/fault';
import { formatDuration } from '@nodewright/machine-config';

/** What a caller may ask for. `reboot` is the default of the wire, and of old. */
export type ApplyMode = 'reboot' | 'auto' | 'no-reboot' | 'staged' | 'try';

export type ApplyStep =
  /** Makes it the one that the next start takes. */
  | { readonly kind: 'store' }
  /** Puts it in force. */
  | { readonly kind: 'activate' }
  /** Puts it in force, and what was in force before after that time, unless somebody applies something meanwhile. */
  | { readonly kind: 'try'; readonly forNs: bigint };

export interface ApplyPlan {
  /** The one that is really used. */
  readonly mode: 'no-reboot' | 'staged' | 'try';
  readonly steps: readonly ApplyStep[];
  /** For people. */
  readonly details: string;
}

/** Source: Talos v1.14: timeouts. */
export const defaultTryTimeoutNs = 60_000_000_000n;

export interface ApplyRequest {
  /** A number is a mode that does not exist. */
  readonly mode: ApplyMode | number;
  readonly tryTimeoutNs?: bigint;
}

export interface ApplySurroundings {
  readonly isMaintenance: boolean;
}

/** The same, once the configuration has been read. */
export interface ApplyTarget extends ApplySurroundings {
  /** Whether a node can boot with the configuration: in maintenance that ends it. */
  readonly isComplete: boolean;
  /** The next start takes the same text without this call, and another one is in force. */
  readonly isStaged?: boolean;
}

const appliedText = 'Applied configuration without a reboot';
const stagedText = 'Staged configuration to be applied after the next reboot';
const stagedAlreadyText = 'No changes: this configuration is staged already';
const rebootText = 'the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead';

/** Why a mode is refused whatever the configuration is, or undefined. */
export function checkMode({ mode }: ApplyRequest, { isMaintenance }: ApplySurroundings): Fault | undefined {
  if (mode === 'reboot' && !isMaintenance) return new Fault('unimplemented', rebootText);
  return undefined;
}

/** The plan for a configuration that is found valid, or why there is none. */
export function planApply(
  request: ApplyRequest,
  { isMaintenance, isComplete, isStaged }: ApplyTarget,
): ApplyPlan | Fault {
  const { mode, tryTimeoutNs = defaultTryTimeoutNs } = request;
  switch (mode) {
    case 'reboot':
    case 'auto':
    case 'no-reboot':
      // Stored first: what is in force but not stored would be gone after a crash, though somebody may have seen it work.
      return { mode: 'no-reboot', steps: [{ kind: 'store' }, { kind: 'activate' }], details: appliedText };
    case 'staged':
      if (isStaged) return { mode, steps: [], details: stagedAlreadyText };
      return { mode, steps: [{ kind: 'store' }], details: stagedText };
    case 'try': {
      // A part of a configuration can be tried there: the node stays in maintenance with and without it.
      if (isMaintenance && isComplete) {
        return new Fault(
          'failed-precondition',
          'the TRY mode needs a complete configuration to go back to, and this node has none: use NO_REBOOT',
        );
      }
      if (tryTimeoutNs <= 0n) {
        return new Fault(
          'invalid-argument',
          `try_mode_timeout must be positive, not ${formatDuration(tryTimeoutNs)}`,
        );
      }
      const rollback = `The config is applied in 'try' mode and will be automatically reverted back in ${formatDuration(tryTimeoutNs)}`;
      return {
        mode,
        steps: [{ kind: 'try', forNs: tryTimeoutNs }],
        details: `${appliedText}\n${rollback}`,
      };
    }
    default:
      return new Fault('invalid-argument', `incorrect mode '${mode}' specified for the apply config call`);
  }
}

/** What a dry run tells instead of doing it. @param difference empty when there is none */
export function dryRunDetails({ details }: ApplyPlan, difference: string): string {
  return `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n${difference || 'No changes.'}`;
}
