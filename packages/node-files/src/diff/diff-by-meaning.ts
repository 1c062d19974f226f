import { type Configuration, effectiveConfig } from '@nodewright/machine-config';
import { runsApiServer } from '../kubernetes/kubernetes-root.ts';
import { formatUnproven } from '../prove/format-proof.ts';
import type { ProofDifference, Unproven } from '../prove/proof.ts';
import { proveConfigurations } from '../prove/prove-configurations.ts';
import { type Effect, type EffectTime, effectOf } from './effect-table.ts';

/** A difference, and what it does to a node. It has no value, which may be a secret. */
export interface MeaningChange extends Pick<ProofDifference, 'of' | 'name' | 'kind' | 'keys' | 'rule'> {
  readonly effect: Effect;
}

export interface MeaningDifference {
  readonly changes: readonly MeaningChange[];
  /** Services and components that restart by themselves when the second configuration is applied. */
  readonly restarts: readonly string[];
  /** Services that have to be restarted before they get what changes for them. */
  readonly needsRestart: readonly string[];
  /** Whether something acts only after the next boot. No configuration makes a node boot by itself. */
  readonly needsBoot: boolean;
  /** Files that were not compared, and keys that are only compared as they are written. Those keys that are different are among the changes. */
  readonly unproven: readonly Unproven[];
}

/**
 * What nodes do differently with the second configuration, in whichever form the two are written. Order of documents, comments, and
 * defaults that are written out are no difference.
 *
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM
 */
export function diffByMeaning(before: Configuration, after: Configuration): MeaningDifference {
  const { differences, unproven } = proveConfigurations(before, after);
  const runsComponents = [before, after].some((each) => runsApiServer(effectiveConfig(each)));
  const changes = differences.map(
    ({ of, name, kind, keys, rule }): MeaningChange => ({
      ...{ of, name, kind },
      ...(keys !== undefined && { keys }),
      ...(rule !== undefined && { rule }),
      effect: effectOf(of, name, runsComponents),
    }),
  );
  const servicesOf = (when: EffectTime) => [
    ...new Set(changes.flatMap(({ effect }) => (effect.when === when ? (effect.services ?? []) : []))),
  ];
  return {
    changes,
    restarts: servicesOf('restart').toSorted(),
    needsRestart: servicesOf('next-start').toSorted(),
    needsBoot: changes.some(({ effect }) => effect.when === 'next-boot'),
    unproven,
  };
}

const signs = { changed: '~', added: '+', removed: '-' } as const;

/** A difference for people, one line per change, what restarts, and one line for each part that was not compared. It has no values. */
export function formatMeaning({
  changes,
  restarts,
  needsRestart,
  needsBoot,
  unproven,
}: MeaningDifference): string[] {
  if (changes.length === 0) return ['no difference', ...formatUnproven(unproven)];
  const keysOf = (keys: readonly string[] | undefined) => (keys === undefined ? '' : ` (${keys.join(', ')})`);
  return [
    ...changes.map(
      ({ of, name, kind, keys, effect, rule }) =>
        `${signs[kind]} ${of} ${name}${keysOf(keys)}: ${effect.text}${rule === undefined ? '' : ` [${rule}]`}`,
    ),
    `restarts by itself: ${restarts.join(', ') || 'nothing'}`,
    ...(needsRestart.length > 0 ? [`needs a restart: ${needsRestart.join(', ')}`] : []),
    `reboots: ${needsBoot ? 'not by itself, but a part acts only after the next boot' : 'no'}`,
    ...formatUnproven(unproven),
  ];
}
