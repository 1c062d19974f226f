import { parseByteSize, parseSizeLimit } from '../forms/byte-size.ts';
import { isIpText, isPrefixText } from '../forms/ip-text.ts';
import type { FieldSchema, FieldType } from '../schema/parse-schema.ts';
import type { ScalarNode } from '../yaml/config-node.ts';
import { integerFromText, wholeNumberFromText } from '../yaml/value-from-node.ts';
import type { YamlValue } from '../yaml/yaml-value.ts';
import { formatDuration, parseDuration } from './duration.ts';

/** A scalar that does not fit the type of its field. `wanted` names that type. */
export interface ScalarProblem {
  readonly wanted: string;
}

/** What the decoder must know about the field of a scalar. */
export type ScalarField = Pick<FieldSchema, 'type' | 'values'> & Partial<Pick<FieldSchema, 'acceptsEmpty'>>;

type IntegerType = Extract<FieldType, 'int' | `uint${number}` | 'mode'>;

/** Minimum and maximum value of each integer type, as in Go. */
export const integerRanges: Readonly<Record<IntegerType, readonly [bigint, bigint]>> = {
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  mode: [0n, 2n ** 32n - 1n],
};

/**
 * Decodes a scalar for a field of the given type, in the form in which it is encoded again.
 *
 * Source: Talos v1.14: machine configuration, scalar forms.
 */
export function decodeScalar(node: ScalarNode, field: ScalarField): YamlValue | ScalarProblem {
  switch (field.type) {
    case 'bool':
      return decodeBoolean(node);
    case 'int':
    case 'uint8':
    case 'uint16':
    case 'uint32':
    case 'uint64':
      return decodeInteger(node, field.type);
    case 'mode':
      return decodeMode(node);
    case 'dur': {
      const nanoseconds = parseDuration(node.text) ?? exponentialNanoseconds(node);
      return nanoseconds === undefined ? { wanted: 'duration' } : formatDuration(nanoseconds);
    }
    case 'mac':
      return decodeHardwareAddress(node);
    case 'size':
      return (node.plain ? integerFromText(node.text) : undefined) ?? node.text;
    case 'manifest':
      return node.text.replace(/^[\t\n\v\f\r]+/, '');
    case 'ip':
      return node.text === '' || isIpText(node.text) ? node.text : { wanted: 'IP address' };
    case 'prefix':
      return node.text === '' || isPrefixText(node.text) ? node.text : { wanted: 'IP prefix' };
    case 'bytes':
      return node.text === '' || parseByteSize(node.text) !== undefined ? node.text : { wanted: 'byte size' };
    case 'limit':
      return node.text === '' || parseSizeLimit(node.text)
        ? node.text
        : { wanted: 'byte size or percentage' };
    case 'enum':
    case 'enums':
      if (node.text === '' && field.acceptsEmpty) return '';
      return decodeEnum(node, field.values);
    case 'table':
      return decodeTable(node);
    default:
      return node.text;
  }
}

export function isScalarProblem(value: YamlValue | ScalarProblem): value is ScalarProblem {
  return typeof value === 'object' && value !== null && 'wanted' in value;
}

function decodeBoolean(node: ScalarNode): boolean | ScalarProblem {
  if (node.plain && /^(?:true|True|TRUE|y|Y|yes|Yes|YES|on|On|ON)$/.test(node.text)) return true;
  if (node.plain && /^(?:false|False|FALSE|n|N|no|No|NO|off|Off|OFF)$/.test(node.text)) return false;
  return { wanted: 'bool' };
}

function decodeInteger(node: ScalarNode, type: IntegerType): number | bigint | ScalarProblem {
  const value = node.plain ? wholeNumberFromText(node.text) : undefined;
  const [low, high] = integerRanges[type];
  if (value === undefined || BigInt(value) < low || BigInt(value) > high) return { wanted: type };
  return value;
}

/** Decodes an octal number, with or without the `o` after the first zero. */
function decodeMode(node: ScalarNode): number | ScalarProblem {
  const value = integerFromText(node.text);
  const [low, high] = integerRanges.mode;
  if (value === undefined || BigInt(value) < low || BigInt(value) > high) return { wanted: 'file mode' };
  return Number(value);
}

function decodeHardwareAddress(node: ScalarNode): string | ScalarProblem {
  const digits = node.text.replaceAll(':', '').toLowerCase();
  if (node.text === '') return '';
  if (!/^(?:[0-9a-f]{2})+$/.test(digits)) return { wanted: 'hardware address' };
  return (digits.match(/../g) ?? []).join(':');
}

/** `1e3`: a number in exponential notation is a duration in nanoseconds; in other notations it needs a unit. */
function exponentialNanoseconds({ text, plain }: ScalarNode): bigint | undefined {
  const value = plain && /e/i.test(text) && !/x/i.test(text) ? wholeNumberFromText(text) : undefined;
  if (value === undefined) return undefined;
  const [low, high] = integerRanges.int;
  return BigInt(value) >= low && BigInt(value) <= high ? BigInt(value) : undefined;
}

const tableNames = ['unspec', 'default', 'main', 'local'];

/** Accepts the names in upper and lower case. A number must have no other notation than decimal. */
function decodeTable({ text }: ScalarNode): string | ScalarProblem {
  const name = text.toLowerCase();
  const isNumber = /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 252;
  if (isNumber || tableNames.includes(name)) return name;
  return { wanted: `routing table: 1 to 252, ${tableNames.join(', ')}` };
}

/** Accepts upper and lower case and returns the canonical form. */
function decodeEnum(node: ScalarNode, values: readonly string[]): string | ScalarProblem {
  const known = values.find((value) => value.toLowerCase() === node.text.toLowerCase());
  return known ?? { wanted: `one of ${values.join(', ')}` };
}
