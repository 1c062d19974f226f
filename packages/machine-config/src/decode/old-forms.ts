// Scalars that older releases accepted, and wrote when they encoded a configuration. Only a text that a node has
// stored may have them: a rule that has changed since must not keep it from its configuration.
import type { ScalarNode } from '../yaml/config-node.ts';
import type { YamlValue } from '../yaml/yaml-value.ts';
import { decodeScalar, isScalarProblem, type ScalarField } from './decode-scalar.ts';

/** The names of the tables that older releases accepted as numbers, too. */
const tableNames: Readonly<Record<number, string>> = {
  0: 'unspec',
  253: 'default',
  254: 'main',
  255: 'local',
};

/**
 * What a scalar in an old form means, in the form of today where there is one. `value` is `undefined` when the old
 * form means that the field is not set. Returns `undefined` when no release accepted the scalar.
 */
export function decodeOldForm(
  node: ScalarNode,
  field: ScalarField,
): { readonly value: YamlValue | undefined } | undefined {
  switch (field.type) {
    case 'enum':
      return node.text === '' ? { value: undefined } : undefined;
    case 'enums':
      return { value: node.text };
    case 'table':
      return decodeOldTable(node.text);
    case 'mac': {
      const value = decodeScalar({ ...node, text: node.text.replaceAll('-', ':') }, field);
      return isScalarProblem(value) ? undefined : { value };
    }
    default:
      return undefined;
  }
}

function decodeOldTable(text: string): { readonly value: string | undefined } | undefined {
  if (text === '') return { value: undefined };
  const number = Number(text);
  if (!/^\d{1,3}$/.test(text) || number > 255) return undefined;
  return { value: tableNames[number] ?? String(number) };
}
