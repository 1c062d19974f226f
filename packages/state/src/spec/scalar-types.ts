import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FieldType } from './field-type.ts';
import { floatText } from './float-text.ts';
import { PlainScalar } from './plain-scalar.ts';

/** Creates a type whose values are varints on the wire. */
export function varint<T>(
  word: string,
  empty: T,
  pack: (writer: BinaryWriter, value: T) => void,
  unpack: (reader: BinaryReader) => T,
): FieldType<T> {
  return {
    shape: { word },
    empty,
    isEmpty: (value) => value === empty,
    toYaml: (value) => value,
    write: (writer, number, value) => pack(writer.uint32((number << 3) | WireType.Varint), value),
    read: unpack,
    pack,
  };
}

export const bool: FieldType<boolean> = varint(
  'bool',
  false,
  (writer, value) => void writer.bool(value),
  (reader) => reader.bool(),
);

const signed = (word: string): FieldType<number> =>
  varint(
    word,
    0,
    (writer, value) => void writer.int64(value),
    (reader) => Number(reader.int64()),
  );

const unsigned = (word: string): FieldType<number> =>
  varint(
    word,
    0,
    (writer, value) => void writer.uint64(value),
    (reader) => Number(reader.uint64()),
  );

// Integers, within the range that JavaScript represents exactly.
export const int = signed('int');
export const int32 = signed('int32');
export const int64 = signed('int64');
export const uint = unsigned('uint');
export const uint8 = unsigned('uint8');
export const uint16 = unsigned('uint16');
export const uint32 = unsigned('uint32');
export const uint64 = unsigned('uint64');

/** File permissions, as a number. */
export const mode = unsigned('mode');

/** A floating-point number. */
export const double: FieldType<number> = {
  shape: { word: 'double' },
  empty: 0,
  isEmpty: (value) => value === 0,
  toYaml: (value) => new PlainScalar(floatText(value)),
  write: (writer, number, value) => void writer.uint32((number << 3) | WireType.Bit64).double(value),
  read: (reader) => reader.double(),
  pack: (writer, value) => void writer.double(value),
};

/** Writes the tag of a length-delimited field. */
export const delimited = (writer: BinaryWriter, number: number) =>
  writer.uint32((number << 3) | WireType.LengthDelimited);

export const text: FieldType<string> = {
  shape: { word: 'string' },
  empty: '',
  isEmpty: (value) => value === '',
  toYaml: (value) => value,
  write: (writer, number, value) => void delimited(writer, number).string(value),
  read: (reader) => reader.string(),
};

/** A string that is `bytes` on the wire. */
export const textBytes: FieldType<string> = {
  ...text,
  shape: { word: 'textbytes' },
  write: (writer, number, value) => void delimited(writer, number).bytes(Buffer.from(value)),
  read: (reader) => Buffer.from(reader.bytes()).toString(),
};

/** A string that is `bytes` on the wire and base64 in YAML. */
export const base64Text: FieldType<string> = {
  ...textBytes,
  shape: { word: 'base64' },
  toYaml: (value) => Buffer.from(value).toString('base64'),
};

/** Bytes. YAML shows them as a list of numbers. */
export const bytes: FieldType<Uint8Array> = {
  shape: { word: 'bytes' },
  empty: new Uint8Array(),
  isEmpty: (value) => value.length === 0,
  toYaml: (value) => [...value],
  write: (writer, number, value) => void delimited(writer, number).bytes(value),
  // Copy the bytes, because the reader returns a view of the whole message.
  read: (reader) => Uint8Array.from(reader.bytes()),
};

/**
 * A CEL expression as text. On the wire it is an empty message, so clients see only that an expression
 * exists.
 */
export const cel: FieldType<string> = {
  ...text,
  shape: { word: 'cel' },
  write: (writer, number) => void delimited(writer, number).fork().join(),
  read(reader) {
    reader.bytes();
    return '';
  },
};
