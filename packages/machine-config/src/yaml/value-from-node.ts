import type { ConfigNode, ScalarNode } from './config-node.ts';
import { isNullNode } from './config-node.ts';
import { mergedEntries } from './merged-entries.ts';
import { mapFromEntries, type YamlValue } from './yaml-value.ts';

const integer = /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const infinity = /^[-+]?\.(?:inf|Inf|INF)$/;
const notANumber = /^\.(?:nan|NaN|NAN)$/;
const float = /^[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Whether the text is a number in decimal or exponential notation, infinity or no number. */
export function isFloatText(text: string): boolean {
  return float.test(text) || infinity.test(text) || notANumber.test(text);
}

/**
 * Decodes a free-form part to plain values. Numbers may have any YAML notation; `yes` and `no` are strings.
 * Integers beyond 2^53 become bigint, and merge keys are resolved.
 *
 * @throws Fault `invalid-argument` if a merge key does not refer to a mapping
 *
 * Source: Talos v1.14: machine configuration, scalar forms.
 */
export function valueFromNode(node: ConfigNode): YamlValue {
  switch (node.kind) {
    case 'list':
      return node.items.map(valueFromNode);
    case 'map':
      return mapFromEntries([...mergedEntries(node)].map(([key, child]) => [key, valueFromNode(child)]));
    default:
      return valueFromScalar(node);
  }
}

/** Decodes an unquoted scalar of a free-form part. */
export function valueOfPlainText(text: string): YamlValue {
  return valueFromScalar({ kind: 'scalar', text, plain: true, line: 1, column: 1 });
}

function valueFromScalar(node: ScalarNode): YamlValue {
  if (!node.plain) return node.text;
  if (isNullNode(node)) return null;
  if (/^(?:true|True|TRUE)$/.test(node.text)) return true;
  if (/^(?:false|False|FALSE)$/.test(node.text)) return false;
  const whole = integerFromText(node.text);
  if (whole !== undefined) return whole;
  if (float.test(node.text)) return Number(node.text.replaceAll('_', ''));
  if (infinity.test(node.text)) return node.text.startsWith('-') ? -Infinity : Infinity;
  if (notANumber.test(node.text)) return NaN;
  return node.text;
}

/** Maximum number of digits of an integer. It is above that of every integer field. */
const maxDigits = 40;

/**
 * Like `integerFromText`, but also accepts decimal and exponential notation of integers: `1e3`, `1.0`, `018`.
 */
export function wholeNumberFromText(text: string): number | bigint | undefined {
  const integer = integerFromText(text);
  if (integer !== undefined || !float.test(text)) return integer;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?$/.exec(text.replaceAll('_', '')) ?? [];
  const digits = `${whole}${fraction}`.replace(/(?<!0)0+$/, '');
  const zeros = whole.length - digits.length + Number(exponent);
  if (digits === '') return 0;
  if (zeros < 0 || digits.length + zeros > maxDigits) return undefined;
  const size = BigInt(digits + '0'.repeat(zeros));
  const signed = sign === '-' ? -size : size;
  const small = Number(signed);
  return Number.isSafeInteger(small) ? small : signed;
}

/**
 * Parses an integer in decimal, `0x`, `0b`, `0o` or leading-zero octal notation, with `_` anywhere. Returns
 * `undefined` for any other text.
 */
export function integerFromText(text: string): number | bigint | undefined {
  if (!integer.test(text)) return undefined;
  const bare = text.replaceAll('_', '').replace(/^[-+]/, '');
  const octal = /^0[0-7]+$/.test(bare) ? `0o${bare.slice(1)}` : bare;
  if (!/^(?:0x[0-9a-fA-F]+|0b[01]+|0o[0-7]+|[1-9][0-9]*|0)$/.test(octal)) return undefined;
  const size = BigInt(octal);
  const signed = text.startsWith('-') ? -size : size;
  const small = Number(signed);
  return Number.isSafeInteger(small) ? small : signed;
}
