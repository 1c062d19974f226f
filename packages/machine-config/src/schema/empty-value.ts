import { entriesOf, isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import type { FieldSchema } from './parse-schema.ts';

/**
 * Whether a value equals an unset field. For booleans, objects and some zeros that are set, the schema
 * decides.
 */
export function isEmptyValue(value: YamlValue, field: FieldSchema): boolean {
  if (value === '' || (field.type === 'enum' && value === field.missingText)) return true;
  if (value === 0 || value === 0n || (value === '0s' && field.type === 'dur')) return !field.keepsZero;
  if (value === false) return field.isOmittedWhenEmpty;
  if (field.type === 'obj')
    return field.isOmittedWhenEmpty && isYamlMap(value) && isEmptyObject(value, field);
  if (isYamlList(value)) return value.length === 0;
  return isYamlMap(value) && entriesOf(value).length === 0;
}

function isEmptyObject(value: YamlMap, { fields }: FieldSchema): boolean {
  return entriesOf(value).every(([key, item]) => {
    const field = fields.get(key);
    return item === null || (field !== undefined && isEmptyValue(item, field));
  });
}
