import type { YamlMap, YamlValue } from '@nodewright/machine-config';
import type { JsonObject, JsonValue } from '@nodewright/state';

/** A part of a configuration without a schema as a JSON object, such as the body of a Kubernetes object. */
export function jsonFromYaml(map: YamlMap): JsonObject {
  const entries = Object.entries(map).filter((entry): entry is [string, YamlValue] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, jsonValue(value)]));
}

function jsonValue(value: YamlValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonValue);
  if (typeof value === 'object' && value !== null) return jsonFromYaml(value as YamlMap);
  return value as JsonValue;
}
