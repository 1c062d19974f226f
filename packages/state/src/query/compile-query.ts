import type { Resource } from '../resource.ts';
import type { QueryOptions } from '../state.ts';
import { compileIdQuery } from './id-query.ts';
import { matchesLabels } from './label-query.ts';

/**
 * Compiles label and id queries into one test; `undefined` when every resource matches. @throws Fault
 * `invalid-argument`
 */
export function compileQuery({
  labelQueries,
  idQuery,
}: QueryOptions): ((resource: Resource) => boolean) | undefined {
  if (idQuery === undefined && (labelQueries === undefined || labelQueries.length === 0)) return undefined;
  const matchesId = idQuery === undefined ? undefined : compileIdQuery(idQuery);
  return ({ metadata }) =>
    matchesLabels(metadata.labels, labelQueries) && (matchesId === undefined || matchesId(metadata.id));
}
