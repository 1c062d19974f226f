import type { Resource } from '../resource.ts';
import type { QueryOptions } from '../state.ts';
import { compileIdQuery } from './id-query.ts';
import { matchesLabels } from './label-query.ts';
import { QueryWork } from './query-work.ts';

/**
 * Compiles label and id queries into one test; `undefined` when every resource matches. The test throws a Fault
 * `resource-exhausted` when an expression takes too many steps.
 *
 * @param work counts the steps; default: those of all tests together @throws Fault `invalid-argument`
 */
export function compileQuery(
  { labelQueries, idQuery }: QueryOptions,
  work: QueryWork = new QueryWork(),
): ((resource: Resource) => boolean) | undefined {
  if (idQuery === undefined && (labelQueries === undefined || labelQueries.length === 0)) return undefined;
  const matchesId = idQuery === undefined ? undefined : compileIdQuery(idQuery, work);
  return ({ metadata }) =>
    matchesLabels(metadata.labels, labelQueries) && (matchesId === undefined || matchesId(metadata.id));
}
