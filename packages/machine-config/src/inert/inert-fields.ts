import type { ConfigDocument, Configuration } from '../config-document.ts';
import { nameOfDocument } from '../decode/load-configuration.ts';
import { isYamlList, isYamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import type { InertRow, InertTable } from './inert-row.ts';
import type { NodeKind } from './node-kinds.ts';

/** What of a document no node of a kind acts on. */
export interface InertDocument {
  readonly document: ConfigDocument;
  /** Rows of the table that the document has a value for, the outermost ones. */
  readonly rows: readonly InertRow[];
}

/** The documents in which something is set that a node of this kind does not act on, in the order of the configuration. */
export function inertFields(
  configuration: Configuration,
  node: NodeKind,
  table: InertTable,
): InertDocument[] {
  return configuration.flatMap((document) => {
    const candidates = Object.hasOwn(table, document.kind) ? (table[document.kind] ?? []) : [];
    const rows: InertRow[] = [];
    for (const row of candidates) {
      if (rows.some(({ path }) => isInside(row.path, path))) continue;
      if (isInert(row, node, document) && isSet(document.value, partsOf(row.path), row.exceptFor))
        rows.push(row);
    }
    return rows.length === 0 ? [] : [{ document, rows }];
  });
}

function isInert({ on, actsOnlyIn }: InertRow, node: NodeKind, document: ConfigDocument): boolean {
  return on.includes(node) || (actsOnlyIn !== undefined && nameOfDocument(document) !== actsOnlyIn);
}

/** Whether a path is another one, or inside of it. */
export const isInside = (path: string, outer: string) =>
  outer === '' || path === outer || [`${outer}.`, `${outer}[`].some((start) => path.startsWith(start));

/** `a.b[].c` is `a`, `b`, `[]`, `c`. */
const partsOf = (path: string) => (path === '' ? [] : path.replaceAll('[]', '.[]').split('.'));

/**
 * Whether something else than `exceptFor` is set at the path: an empty text, list or map says nothing. A document always
 * does.
 */
function isSet(
  value: YamlValue | undefined,
  path: readonly string[],
  exceptFor: string | undefined,
  at = 0,
): boolean {
  if (path.length === 0) return true;
  const part = path[at];
  const isSetIn = (inner: YamlValue | undefined) => isSet(inner, path, exceptFor, at + 1);
  if (part === undefined) return !isEmpty(value) && (exceptFor === undefined || value !== exceptFor);
  if (part === '[]') return isYamlList(value) && value.some(isSetIn);
  if (!isYamlMap(value)) return false;
  if (part === '*') return Object.values(value).some(isSetIn);
  return Object.hasOwn(value, part) && isSetIn(value[part]);
}

function isEmpty(value: YamlValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isYamlList(value)) return value.length === 0;
  return isYamlMap(value) && Object.keys(value).length === 0;
}
