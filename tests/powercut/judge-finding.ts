import type { Finding } from './finding.ts';
import type { CutKind } from './plan-cuts.ts';

/** What is known about a machine whose power has failed. Configurations are numbered from 1; 0 is none. */
export interface CutFacts {
  readonly kind: CutKind;
  /** The configuration before the action. */
  readonly before: number;
  /** The last configuration that the machine has acknowledged; `before` when it was none. */
  readonly acknowledged: number;
  /** The last configuration that was sent. */
  readonly sent: number;
  /** The reset was complete: the machine had switched itself off. */
  readonly isReset: boolean;
  /** SHA-256 of the text of each configuration in hex, by its number. */
  readonly digests: Readonly<Record<number, string>>;
}

/** The value of META that the machines have which have a configuration. */
export const keptValue = { key: 12, value: 'kept' } as const;

/** The configuration with which a machine came back, or why it did not. */
export type Verdict = { readonly configuration: number } | { readonly problem: string };

/** Decides whether a machine with this disk has come back with the old or with the new configuration, as a whole. */
export function judgeFinding(finding: Finding, facts: CutFacts): Verdict {
  if (finding.failure !== undefined) return { problem: finding.failure };
  const configuration = numberOf(finding.configuration, facts.digests);
  if (configuration === undefined) return { problem: 'the configuration is none that was sent' };
  const problem =
    facts.kind === 'reset' ? resetProblem(finding, configuration, facts) : applyProblem(configuration, facts);
  if (problem !== undefined) return { problem };
  const kept = finding.meta[keptValue.key];
  if (facts.kind !== 'first-boot' && facts.kind !== 'first-configuration' && kept !== keptValue.value)
    return { problem: `META has "${kept ?? ''}" instead of "${keptValue.value}"` };
  return { configuration };
}

function numberOf(digest: string | undefined, digests: CutFacts['digests']): number | undefined {
  if (digest === undefined) return 0;
  const found = Object.entries(digests).find(([, known]) => known === digest);
  return found && Number(found[0]);
}

function applyProblem(configuration: number, { acknowledged, sent }: CutFacts): string | undefined {
  if (configuration >= acknowledged && configuration <= sent) return undefined;
  return `configuration ${configuration} after ${acknowledged} was acknowledged and ${sent} was sent`;
}

/** A reset has not begun, or it is complete: both volumes are there, or none. */
function resetProblem(
  { labels }: Finding,
  configuration: number,
  { before, isReset }: CutFacts,
): string | undefined {
  const [hasState, hasEphemeral] = ['STATE', 'EPHEMERAL'].map((label) => labels.includes(label));
  if (hasState !== hasEphemeral) return `the reset is half done: ${labels.join(', ')}`;
  if (hasState && isReset) return 'the reset was complete, and the volumes are there';
  const expected = hasState ? before : 0;
  return configuration === expected ? undefined : `configuration ${configuration} instead of ${expected}`;
}
