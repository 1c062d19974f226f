// Values of the evaluator and of the test data as texts, so that they can be compared.
import {
  type CelInput,
  type CelResult,
  celUint,
  isCelError,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
} from '@bufbuild/cel';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import { registry } from './public-environment.ts';

const error = 'error';

/** A value of the evaluator; `error` for any failure. */
export function textOfResult(value: CelResult): string {
  if (isCelError(value)) return error;
  if (value === null) return 'null';
  if (typeof value === 'bigint') return `int ${value}`;
  if (typeof value === 'number') return textOfNumber(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return textOfBytes(value);
  if (isCelUint(value)) return `uint ${value.value}`;
  if (isCelList(value)) return `[${Array.from(value, textOfResult).join()}]`;
  if (isCelMap(value))
    return textOfMap(Array.from(value, ([key, one]) => [textOfResult(key), textOfResult(one)]));
  if (isReflectMessage(value)) return textOfMessage(value.message);
  if (isCelType(value)) return `type ${value.name}`;
  return 'unknown';
}

/** A value of the data. */
export function textOfValue({ kind }: Value): string {
  switch (kind.case) {
    case 'nullValue':
      return 'null';
    case 'boolValue':
      return String(kind.value);
    case 'int64Value':
      return `int ${kind.value}`;
    case 'uint64Value':
      return `uint ${kind.value}`;
    case 'doubleValue':
      return textOfNumber(kind.value);
    case 'stringValue':
      return JSON.stringify(kind.value);
    case 'bytesValue':
      return textOfBytes(kind.value);
    case 'enumValue':
      return `int ${kind.value.value}`;
    case 'typeValue':
      return `type ${kind.value}`;
    case 'listValue':
      return `[${kind.value.values.map(textOfValue).join()}]`;
    case 'mapValue':
      return textOfMap(
        kind.value.entries.map(({ key, value }) => [
          key === undefined ? '' : textOfValue(key),
          value === undefined ? '' : textOfValue(value),
        ]),
      );
    case 'objectValue':
      return textOfMessage(unpacked(kind.value));
    default:
      return 'unknown';
  }
}

/** A value of the data, as a variable for the evaluator. */
export function inputOfValue({ kind }: Value): CelInput {
  switch (kind.case) {
    case 'uint64Value':
      return celUint(kind.value);
    case 'nullValue':
      return null;
    case 'listValue':
      return kind.value.values.map(inputOfValue);
    case 'mapValue':
      return new Map(
        kind.value.entries.map(({ key, value }) => [
          key === undefined ? '' : inputOfValue(key),
          value === undefined ? null : inputOfValue(value),
        ]),
      ) as CelInput;
    case 'objectValue':
      return unpacked(kind.value) as CelInput;
    case 'enumValue':
      return BigInt(kind.value.value);
    case undefined:
      return null;
    default:
      return kind.value as CelInput;
  }
}

function unpacked(any: Any): Message {
  const found = anyUnpack(any, registry);
  if (found === undefined) throw new Error(`the data has no message ${any.typeUrl}`);
  return found;
}

function textOfMessage(message: Message): string {
  const descriptor = registry.getMessage(message.$typeName);
  return `${message.$typeName} ${descriptor && sorted(toJson(descriptor, message, { registry }))}`;
}

/** JSON whose keys are in alphabetical order: a map has none. */
const sorted = (value: JsonValue): string =>
  JSON.stringify(value, (_key, one) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOfNumber = (value: number) => (Object.is(value, -0) ? 'double 0' : `double ${value}`);
const textOfBytes = (bytes: Uint8Array) => `bytes ${Buffer.from(bytes).toString('hex')}`;
const textOfMap = (entries: readonly (readonly [string, string])[]) =>
  `{${entries
    .map(([key, value]) => `${key}: ${value}`)
    .toSorted()
    .join()}}`;
