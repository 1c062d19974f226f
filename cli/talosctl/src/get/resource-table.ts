import type { Metadata, PrintColumn, ResourceDefinitionSpec } from '@nodewright/state';
import { findByTemplate } from '../json-path/find-by-template.ts';
import { parseJsonPath } from '../json-path/parse-json-path.ts';
import { formatCompactJson } from '../render/json.ts';
import { type ShownResource, timeText, versionText } from './shown-resource.ts';

export interface ResourceColumns {
  readonly header: readonly string[];
  readonly row: (resource: ShownResource) => readonly string[];
}

const marks = { created: '+', updated: ' ', destroyed: '-' } as const;

/**
 * The columns of the table: those of every kind, then those of this kind's definition. Source: Talos v1.14: get, table.
 *
 * @param isWide whether to add phase, owner and times
 * @throws Fault `invalid-argument` for a column with an invalid path
 */
export function resourceColumns(
  { displayType, printColumns }: ResourceDefinitionSpec,
  isWatch: boolean,
  isWide = false,
): ResourceColumns {
  const cells = kindCells(printColumns);
  return {
    header: [
      'NODE',
      ...(isWatch ? ['*'] : []),
      ...['NAMESPACE', 'TYPE', 'ID', 'VERSION'],
      ...printColumns.map(({ name }) => name.toUpperCase()),
      ...(isWide ? ['PHASE', 'OWNER', 'CREATED', 'UPDATED'] : []),
    ],
    row: ({ node, event, metadata, spec }) => [
      node,
      ...(isWatch ? [event === undefined ? ' ' : marks[event]] : []),
      ...[metadata.namespace, displayType, metadata.id, versionText(metadata.version)],
      ...cells(spec),
      ...(isWide ? wideCells(metadata) : []),
    ],
  };
}

/**
 * Reads what the columns of a kind show of a spec.
 *
 * @throws Fault `invalid-argument` for a column with an invalid path
 */
export function kindCells(printColumns: readonly PrintColumn[]): (spec: unknown) => readonly string[] {
  const cells = printColumns.map(columnReader);
  return (spec) => cells.map((cell) => cell(spec));
}

function wideCells({ phase, owner, createdMs, updatedMs }: Metadata): string[] {
  return [phase, owner, timeText(createdMs), timeText(updatedMs)];
}

function columnReader({ jsonPath }: PrintColumn): (spec: unknown) => string {
  const parts = parseJsonPath(jsonPath);
  return (spec) => parts.map((part) => findByTemplate([part], spec).map(cellText).join(' ')).join('');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatCompactJson(value) : String(value);
}
