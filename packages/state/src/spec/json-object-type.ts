import { parse } from 'yaml';
import { encodeYaml } from './encode-yaml.ts';
import type { FieldType } from './field-type.ts';
import { delimited, text } from './scalar-types.ts';
import { readStruct, writeStruct } from './struct-message.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object without a schema here, such as a Kubernetes object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

const isEmpty = (value: JsonObject) => Object.keys(value).length === 0;

/** An object that is a `google.protobuf.Struct` on the wire. In YAML its keys are sorted. */
export const object: FieldType<JsonObject> = {
  shape: { word: 'object' },
  empty: {},
  isEmpty,
  toYaml: sorted,
  write(writer, number, value) {
    delimited(writer, number).fork();
    writeStruct(writer, value);
    writer.join();
  },
  read: (reader) => readStruct(reader.bytes()),
};

/** An object that is a YAML text on the wire. */
export const yamlObject: FieldType<JsonObject> = {
  shape: { word: 'object' },
  empty: {},
  isEmpty,
  toYaml: sorted,
  write: (writer, number, value) => text.write(writer, number, encodeYaml(value)),
  read: (reader, wireType) => parse(text.read(reader, wireType, '')) as JsonObject,
};

function sorted(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
