// Plans the steps of an ApplyConfiguration call, as data. Source: Talos v1.14: ApplyConfiguration.
import { Fault } from '@nodewright/fault';
import { formatDuration } from '@nodewright/machine-config';

/** The mode in the request. `reboot` is the zero value of the wire enum. */
export type ApplyMode = 'reboot' | 'auto' | 'no-reboot' | 'staged' | 'try';

export type ApplyStep =
  /** Stores the configuration for the next start. */
  | { readonly kind: 'store' }
  /** Makes the configuration active. */
  | { readonly kind: 'activate' }
  /**
   * Makes the configuration active for a time. After it the previous one returns, unless another one is
   * applied first.
   */
  | { readonly kind: 'try'; readonly forNs: bigint };

export interface ApplyPlan {
  /** The mode that the node uses, which the response reports. */
  readonly mode: 'no-reboot' | 'staged' | 'try';
  readonly steps: readonly ApplyStep[];
  /** A description for users. */
  readonly details: string;
}

/** The timeout of the mode TRY when the request has none. Source: Talos v1.14: timeouts. */
export const defaultTryTimeoutNs = 60_000_000_000n;

export interface ApplyRequest {
  /** A number is a mode that does not exist. */
  readonly mode: ApplyMode | number;
  readonly tryTimeoutNs?: bigint;
}

export interface ApplySurroundings {
  readonly isMaintenance: boolean;
}

/** The state of the node, and facts about the decoded configuration. */
export interface ApplyTarget extends ApplySurroundings {
  /** Whether a node can boot with the configuration. Applying a complete one ends maintenance. */
  readonly isComplete: boolean;
  /** Whether the same text is already stored for the next start while another configuration is active. */
  readonly isStaged?: boolean;
}

const appliedText = 'Applied configuration without a reboot';
const stagedText = 'Staged configuration to be applied after the next reboot';
const stagedAlreadyText = 'No changes: this configuration is staged already';
const rebootText = 'the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead';

/** Why a mode is refused for any configuration; `undefined` when it is allowed. */
export function checkMode({ mode }: ApplyRequest, { isMaintenance }: ApplySurroundings): Fault | undefined {
  if (mode === 'reboot' && !isMaintenance) return new Fault('unimplemented', rebootText);
  return undefined;
}

/** Plans the steps for a valid configuration, or returns why it is refused. */
export function planApply(
  request: ApplyRequest,
  { isMaintenance, isComplete, isStaged }: ApplyTarget,
): ApplyPlan | Fault {
  const { mode, tryTimeoutNs = defaultTryTimeoutNs } = request;
  switch (mode) {
    case 'reboot':
    case 'auto':
    case 'no-reboot':
      // Store before activating: an active configuration that is not stored would be lost in a crash.
      return { mode: 'no-reboot', steps: [{ kind: 'store' }, { kind: 'activate' }], details: appliedText };
    case 'staged':
      if (isStaged) return { mode, steps: [], details: stagedAlreadyText };
      return { mode, steps: [{ kind: 'store' }], details: stagedText };
    case 'try': {
      // In maintenance only a partial configuration can be tried: the node stays in maintenance with and
      // without it.
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

/** The response text of a dry run. @param difference empty when nothing changes */
export function dryRunDetails({ details }: ApplyPlan, difference: string): string {
  return `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n${difference || 'No changes.'}`;
}
