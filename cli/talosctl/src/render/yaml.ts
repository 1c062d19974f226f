import { stringify } from 'yaml';

/** YAML text of a value, without a newline at the end. 64-bit integers keep all their digits. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}
