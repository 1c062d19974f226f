import { Fault } from '@nodewright/fault';
import { compareByBytes } from '../compare-by-bytes.ts';

/**
 * One condition on a label. `invert` negates the result, but a comparison of a label that is missing or not a
 * number stays false. Source: Talos v1.14: COSI queries.
 */
export type LabelTerm = { readonly key: string; readonly invert?: boolean } & (
  | { readonly operation: 'exists' }
  | { readonly operation: 'equal'; readonly value: string }
  | { readonly operation: 'in'; readonly values: readonly string[] }
  /** Compared by bytes. */
  | { readonly operation: 'less' | 'less-or-equal'; readonly value: string }
  /** Compared as 64-bit integers with an optional suffix (`k`, `Mi`, ...). */
  | { readonly operation: 'less-numeric' | 'less-or-equal-numeric'; readonly value: string }
);

/** All terms must hold. */
export type LabelQuery = readonly LabelTerm[];

type Labels = Readonly<Record<string, string>>;

/** Whether at least one query holds. Without queries everything matches. */
export function matchesLabels(labels: Labels, queries: readonly LabelQuery[] | undefined): boolean {
  if (queries === undefined || queries.length === 0) return true;
  return queries.some((terms) => terms.every((term) => holds(labels, term)));
}

function holds(labels: Labels, term: LabelTerm): boolean {
  const label = Object.hasOwn(labels, term.key) ? labels[term.key] : undefined;
  const invert = term.invert === true;
  switch (term.operation) {
    case 'exists':
      return (label !== undefined) !== invert;
    case 'equal':
      return (label === term.value) !== invert;
    case 'in':
      return (label !== undefined && term.values.includes(label)) !== invert;
    case 'less':
      return label !== undefined && compareByBytes(label, term.value) < 0 !== invert;
    case 'less-or-equal':
      return label !== undefined && compareByBytes(label, term.value) <= 0 !== invert;
    case 'less-numeric':
    case 'less-or-equal-numeric': {
      const [left, right] = [numberOf(label), numberOf(term.value)];
      if (left === undefined || right === undefined) return false;
      return (term.operation === 'less-numeric' ? left < right : left <= right) !== invert;
    }
    default:
      throw new Fault(
        'unimplemented',
        `unknown operation of a label query: ${JSON.stringify(term satisfies never)}`,
      );
  }
}

/** Far more digits than a 64-bit number has. Parsing millions of digits would block the process. */
const maxNumberCharacters = 100;
const powers = ['', 'k', 'm', 'g', 't', 'p'];

function numberOf(text: string | undefined): bigint | undefined {
  if (text === undefined || text.length > maxNumberCharacters) return undefined;
  const match = /^([+-]?\d+)(?:([kmgtp])(i?))?$/i.exec(text);
  if (match === null) return undefined;
  const [, digits = '', suffix = '', binary = ''] = match;
  const base = binary === '' ? 1000n : 1024n;
  const value = BigInt(digits) * base ** BigInt(powers.indexOf(suffix.toLowerCase()));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
