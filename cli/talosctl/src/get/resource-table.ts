import type { PrintColumn, ResourceDefinitionSpec } from '@nodewright/state';
import { findByTemplate } from '../json-path/find-by-template.ts';
import { parseJsonPath } from '../json-path/parse-json-path.ts';
import { formatCompactJson } from '../render/json.ts';
import { type ShownResource, versionText } from './shown-resource.ts';

export interface ResourceColumns {
  readonly header: readonly string[];
  readonly row: (resource: ShownResource) => readonly string[];
}

const marks = { created: '+', updated: ' ', destroyed: '-' } as const;

/**
 * The columns that a kind's definition asks for, behind those that every kind has. Source: Talos v1.14: get, table.
 *
 * @throws Fault `invalid-argument` for a column whose path cannot be read
 */
export function resourceColumns(
  { displayType, printColumns }: ResourceDefinitionSpec,
  isWatch: boolean,
): ResourceColumns {
  const cells = printColumns.map(columnReader);
  return {
    header: [
      'NODE',
      ...(isWatch ? ['*'] : []),
      ...['NAMESPACE', 'TYPE', 'ID', 'VERSION'],
      ...printColumns.map(({ name }) => name.toUpperCase()),
    ],
    row: ({ node, event, metadata: { namespace, id, version }, spec }) => [
      node,
      ...(isWatch ? [event === undefined ? ' ' : marks[event]] : []),
      ...[namespace, displayType, id, versionText(version)],
      ...cells.map((cell) => cell(spec)),
    ],
  };
}

function columnReader({ jsonPath }: PrintColumn): (spec: unknown) => string {
  const parts = parseJsonPath(jsonPath);
  return (spec) => parts.map((part) => findByTemplate([part], spec).map(cellText).join(' ')).join('');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatCompactJson(value) : String(value);
}
