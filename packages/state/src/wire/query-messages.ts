import {
  type IDQuery,
  type LabelQuery as LabelQueryMessage,
  type LabelTerm as LabelTermMessage,
  LabelTerm_Operation as Operation,
} from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { Fault } from '@nodewright/fault';
import type { LabelTerm } from '../query/label-query.ts';
import type { QueryOptions } from '../state.ts';

type Comparison = Extract<LabelTerm, { value: string }>['operation'];

const comparisons: ReadonlyMap<number, Comparison> = new Map<number, Comparison>([
  [Operation.EQUAL, 'equal'],
  [Operation.LT, 'less'],
  [Operation.LTE, 'less-or-equal'],
  [Operation.LT_NUMERIC, 'less-numeric'],
  [Operation.LTE_NUMERIC, 'less-or-equal-numeric'],
]);
const operations = new Map([...comparisons].map(([operation, name]) => [name, operation as Operation]));

interface QueryMessages {
  readonly labelQuery: readonly LabelQueryMessage[];
  readonly idQuery?: IDQuery | undefined;
}

/** @throws Fault `unimplemented` for an unknown operation */
export function queriesFromMessages({ labelQuery, idQuery }: QueryMessages): QueryOptions {
  return {
    ...(labelQuery.length > 0 && { labelQueries: labelQuery.map(({ terms }) => terms.map(termFromMessage)) }),
    ...(idQuery !== undefined && idQuery.regexp !== '' && { idQuery: { regexp: idQuery.regexp } }),
  };
}

function termFromMessage({ key, op, value: values, invert }: LabelTermMessage): LabelTerm {
  if (op === Operation.EXISTS) return { key, invert, operation: 'exists' };
  if (op === Operation.NOT_EXISTS) return { key, invert: !invert, operation: 'exists' };
  if (op === Operation.IN) return { key, invert, operation: 'in', values };
  const operation = comparisons.get(op);
  if (operation === undefined) throw new Fault('unimplemented', `unknown operation ${op} of a label query`);
  const [value] = values;
  if (value === undefined) throw new Fault('invalid-argument', `the query of label "${key}" has no value`);
  return { key, invert, operation, value } as LabelTerm;
}

export function messagesFromQueries({ labelQueries = [], idQuery }: QueryOptions): {
  labelQuery: LabelQueryMessage[];
  idQuery: IDQuery | undefined;
} {
  return { labelQuery: labelQueries.map((terms) => ({ terms: terms.map(messageFromTerm) })), idQuery };
}

function messageFromTerm(term: LabelTerm): LabelTermMessage {
  const { key, invert = false } = term;
  if (term.operation === 'exists') return { key, invert, op: Operation.EXISTS, value: [] };
  if (term.operation === 'in') return { key, invert, op: Operation.IN, value: [...term.values] };
  return { key, invert, op: operations.get(term.operation) ?? Operation.UNRECOGNIZED, value: [term.value] };
}
