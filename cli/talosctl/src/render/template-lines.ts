import { findByTemplate } from '../json-path/find-by-template.ts';
import type { TemplatePart } from '../json-path/parse-json-path.ts';
import { formatJson, formatSortedJson } from './json.ts';

/** The values that a template selects in a JSON value, one per line; lists and maps as JSON. */
export function templateLines(value: unknown, template: readonly TemplatePart[]): string[] {
  return findByTemplate(template, asPlainData(value)).map(lineOf);
}

/** The same for a document: a list is searched entry by entry. */
export function documentLines(document: unknown, template: readonly TemplatePart[]): string[] {
  return (Array.isArray(document) ? document : [document]).flatMap((entry) => templateLines(entry, template));
}

function lineOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatSortedJson(value) : String(value);
}

/** The value after conversion to JSON and back; integers beyond 53 bits keep their digits. */
function asPlainData(value: unknown): unknown {
  return JSON.parse(formatJson(value) ?? 'null', withDigits);
}

function withDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isLarge = typeof value === 'number' && !Number.isSafeInteger(value);
  return isLarge && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value;
}
