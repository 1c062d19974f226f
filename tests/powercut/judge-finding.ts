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
  /** For `extension-set`, where sets are what is acknowledged and sent: 0 is the active one. */
  readonly sets?: SetFacts | undefined;
}

export interface SetFacts {
  /** Root hash of each set, by its number. */
  readonly rootHashes: Readonly<Record<number, string>>;
  /** SHA-256 of the root file system of the image, in hex. */
  readonly root: string;
}

/** The value of META that the machines have which have a configuration. */
export const keptValue = { key: 12, value: 'kept' } as const;

/** With what a machine came back. */
export interface Recovery {
  readonly configuration: number;
  /** The set of extensions that the next start tries; 0 for the active one. Only for `extension-set`. */
  readonly set?: number;
}

/** With what a machine came back, or why it did not. */
export type Verdict = Recovery | { readonly problem: string };

/** Decides whether a machine with this disk has come back with the old or with the new configuration, as a whole. */
export function judgeFinding(finding: Finding, facts: CutFacts): Verdict {
  if (finding.failure !== undefined) return { problem: finding.failure };
  const configuration = numberOf(finding.configuration, facts.digests);
  if (configuration === undefined) return { problem: 'the configuration is none that was sent' };
  const problem = problemOf(finding, configuration, facts);
  if (problem !== undefined) return { problem };
  const kept = finding.meta[keptValue.key];
  if (facts.kind !== 'first-boot' && facts.kind !== 'first-configuration' && kept !== keptValue.value)
    return { problem: `META has "${kept ?? ''}" instead of "${keptValue.value}"` };
  return facts.sets === undefined ? { configuration } : { configuration, set: nextSet(finding, facts) ?? 0 };
}

function problemOf(finding: Finding, configuration: number, facts: CutFacts): string | undefined {
  if (facts.kind === 'reset') return resetProblem(finding, configuration, facts);
  if (facts.kind === 'extension-set') return setProblem(finding, configuration, facts);
  return applyProblem(configuration, facts);
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

/**
 * Why the sets of extensions are wrong after a cut. The checker itself reports a set that is not whole. The active set must be the one that
 * was active, and the next start must try the set that was acknowledged last, or one that was sent after it.
 */
function setProblem(finding: Finding, configuration: number, facts: CutFacts): string | undefined {
  if (finding.root !== facts.sets?.root) return 'the root file system on BOOT was changed';
  if (configuration !== 1) return `configuration ${configuration} instead of 1`;
  const active = finding.sets?.active;
  if (active !== facts.sets?.rootHashes[0]) return `the active set is "${active ?? ''}"`;
  const next = nextSet(finding, facts);
  const { acknowledged, sent } = facts;
  if (next === undefined || next < acknowledged)
    return `the next set is "${finding.sets?.next ?? ''}" after ${acknowledged} was acknowledged and ${sent} was sent`;
  return undefined;
}

/** The number of the set that the next start tries: 0 for the active one, undefined for a set that nobody has sent. */
function nextSet({ sets }: Finding, facts: CutFacts): number | undefined {
  if (sets?.next === undefined) return 0;
  for (let number = facts.sent; number > 0; number -= 1)
    if (facts.sets?.rootHashes[number] === sets.next) return number;
  return undefined;
}
