import type { ConfigDocument } from './config-document.ts';
import { documentSchema, documentVersion, legacyKind } from './schema/document-schema.ts';
import { isEmptyValue } from './schema/empty-value.ts';
import type { FieldMap, FieldSchema } from './schema/parse-schema.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  PlainScalar,
  type YamlMap,
  type YamlValue,
} from './yaml/yaml-value.ts';

/**
 * Sort order of map keys. `natural` compares runs of digits as numbers; text with comments uses `bytewise`.
 */
export type KeyOrder = 'natural' | 'bytewise';

/**
 * Returns the document in the form in which it is written. `apiVersion` and `kind` come first, then the
 * fields in the order of the schema; map keys are sorted. Empty values are omitted unless the schema says to
 * write them always.
 *
 * Source: Talos v1.14: machine configuration, encoding.
 */
export function arrangeDocument(document: ConfigDocument, order: KeyOrder): YamlMap {
  const schema = documentSchema(document.kind);
  if (!schema) throw new Error(`no schema for ${document.kind}`);
  const head = document.kind === legacyKind ? {} : { apiVersion: documentVersion, kind: document.kind };
  return { ...head, ...arrangeFields(document.value, schema.fields, order) };
}

function arrangeFields(value: YamlMap, fields: FieldMap, order: KeyOrder): YamlMap {
  const entries: [string, YamlValue][] = [];
  for (const field of fields.values()) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    const isMissing = given === undefined || given === null;
    if (
      !isMissing &&
      (field.isAlwaysWritten || !isEmptyValue(given, field) || (field.keepsEmptyList && order === 'bytewise'))
    ) {
      entries.push([field.name, arrangeField(given, field, order)]);
    } else if (field.isAlwaysWritten) {
      entries.push([field.name, missingValue(field, order)]);
    }
  }
  return mapFromEntries(entries);
}

function arrangeField(value: YamlValue, field: FieldSchema, order: KeyOrder): YamlValue {
  switch (field.type) {
    case 'obj':
      return isYamlMap(value) ? arrangeFields(value, field.fields, order) : value;
    case 'list':
      return isYamlList(value)
        ? value.map((item) => (isYamlMap(item) ? arrangeFields(item, field.fields, order) : item))
        : value;
    case 'map':
      return isYamlMap(value)
        ? sortKeys(
            mapValues(value, (item) => (isYamlMap(item) ? arrangeFields(item, field.fields, order) : item)),
            order,
          )
        : value;
    case 'mode':
      return typeof value === 'number' ? new PlainScalar(`0o${value.toString(8)}`) : value;
    default:
      return sortDeep(value, order);
  }
}

/** The value written for an always-written field that is not set. */
function missingValue(field: FieldSchema, order: KeyOrder): YamlValue {
  if (field.missingText === undefined) return arrangeField(zeroOf(field), field, order);
  return field.missingText === 'null' ? null : field.missingText;
}

function zeroOf(field: FieldSchema): YamlValue {
  switch (field.type) {
    case 'obj':
    case 'map':
    case 'map:str':
    case 'map:bool':
    case 'args':
    case 'free':
      return {};
    case 'list':
    case 'strs':
    case 'enums':
    case 'ips':
    case 'prefixes':
    case 'ints':
    case 'ports':
    case 'frees':
      return [];
    case 'bool':
      return false;
    case 'int':
    case 'uint8':
    case 'uint16':
    case 'uint32':
    case 'uint64':
    case 'mode':
      return 0;
    default:
      return '';
  }
}

function mapValues(value: YamlMap, change: (item: YamlValue) => YamlValue): YamlMap {
  return mapFromEntries(entriesOf(value).map(([key, item]) => [key, change(item)]));
}

function sortDeep(value: YamlValue, order: KeyOrder): YamlValue {
  if (isYamlList(value)) return value.map((item) => sortDeep(item, order));
  if (isYamlMap(value))
    return sortKeys(
      mapValues(value, (item) => sortDeep(item, order)),
      order,
    );
  return value;
}

function sortKeys(value: YamlMap, order: KeyOrder): YamlMap {
  const compare = order === 'natural' ? compareNatural : compareBytes;
  return mapFromEntries(entriesOf(value).sort(([a], [b]) => compare(a, b)));
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Compares two keys: runs of digits as numbers, and letters after all other characters. */
export function compareNatural(a: string, b: string): number {
  const as = a.match(/\d+|\D/gu) ?? [];
  const bs = b.match(/\d+|\D/gu) ?? [];
  for (let at = 0; at < Math.min(as.length, bs.length); at++) {
    const x = as[at] as string;
    const y = bs[at] as string;
    if (x === y) continue;
    const difference = isDigits(x) && isDigits(y) ? compareDigits(x, y) : compareCharacters(x, y);
    if (difference !== 0) return difference;
  }
  return as.length - bs.length || compareBytes(a, b);
}

function isDigits(text: string): boolean {
  return /^\d/.test(text);
}

function compareDigits(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : a.length - b.length;
}

function compareCharacters(a: string, b: string): number {
  const letter = /^\p{L}/u;
  if (letter.test(a) !== letter.test(b)) return letter.test(a) ? 1 : -1;
  return compareBytes(a, b);
}
