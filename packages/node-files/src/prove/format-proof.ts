import type { Proof, ProofDifference, Unproven } from './proof.ts';

const verbs = { changed: 'is different', added: 'is only in the new one', removed: 'is only in the old one' };

/** A proof for people, one line per difference and per key that is not proven. It has no values. */
export function formatProof({ differences, unproven, equalFiles }: Proof): string[] {
  return [
    ...differences.map(formatDifference),
    ...formatUnproven(unproven),
    `${equalFiles.length} files are equal byte by byte`,
  ];
}

/** What was not compared, one line each. */
export function formatUnproven(unproven: readonly Unproven[]): string[] {
  return unproven.map(
    ({ name, why, position }) =>
      `not proven: ${position === undefined ? '' : `${position}: `}${name}: ${why}`,
  );
}

/** One difference in one line. It has no values. */
export function formatDifference({ of, name, kind, keys, cause, text, rule }: ProofDifference): string {
  const label = { named: 'named', form: 'form only', unnamed: 'DIFFERENT' }[cause];
  const where = keys === undefined ? '' : ` (${keys.join(', ')})`;
  const by = rule === undefined ? '' : ` [${rule}]`;
  return `${label}: ${of} ${name} ${verbs[kind]}${where}: ${text}${by}`;
}
