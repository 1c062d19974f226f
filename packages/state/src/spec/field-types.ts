// The types of fields of specs, each with all of its forms at once. Source: Talos v1.14: COSI encoding.
import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Fault } from '@nodewright/fault';
import { ipBytes, ipText } from './ip-text.ts';
import { type Fields, readMessage, writeMessage, yamlOfFields } from './message.ts';

/** One type of values. Values that are empty are not on the wire; a reader then has the empty one. */
export interface FieldType<T> {
  readonly empty: T;
  isEmpty(value: T): boolean;
  toYaml(value: T): unknown;
  /** Writes tag and value. */
  write(writer: BinaryWriter, number: number, value: T): void;
  /** Reads what follows a tag. `before` is what earlier tags of the same field gave. */
  read(reader: BinaryReader, wireType: WireType, before: T): T;
  /** Writes the value alone, for types of which lists are packed. */
  readonly pack?: (writer: BinaryWriter, value: T) => void;
}

function varint<T>(
  empty: T,
  pack: (writer: BinaryWriter, value: T) => void,
  unpack: (reader: BinaryReader) => T,
): FieldType<T> {
  return {
    empty,
    isEmpty: (value) => value === empty,
    toYaml: (value) => value,
    write: (writer, number, value) => pack(writer.uint32((number << 3) | WireType.Varint), value),
    read: unpack,
    pack,
  };
}

export const bool: FieldType<boolean> = varint(
  false,
  (writer, value) => void writer.bool(value),
  (reader) => reader.bool(),
);

/** A whole number that JavaScript holds exactly. */
export const integer: FieldType<number> = varint(
  0,
  (writer, value) => void writer.int64(value),
  (reader) => Number(reader.int64()),
);

/** A text in YAML, a number on the wire. @throws Fault `internal` when a message has a number without a text */
export function enumeration<T extends string>(numbers: Readonly<Record<T, number>>): FieldType<T> {
  const texts = new Map(Object.entries<number>(numbers).map(([text, number]) => [number, text as T]));
  const textOf = (number: number): T => {
    const text = texts.get(number);
    if (text === undefined) throw new Fault('internal', `unknown value ${number} of ${[...texts.values()]}`);
    return text;
  };
  return varint(
    textOf(0),
    (writer, value) => void writer.int32(numbers[value]),
    (reader) => textOf(reader.int32()),
  );
}

const delimited = (writer: BinaryWriter, number: number) =>
  writer.uint32((number << 3) | WireType.LengthDelimited);

export const text: FieldType<string> = {
  empty: '',
  isEmpty: (value) => value === '',
  toYaml: (value) => value,
  write: (writer, number, value) => void delimited(writer, number).string(value),
  read: (reader) => reader.string(),
};

/** A text that is bytes on the wire. */
export const textBytes: FieldType<string> = {
  ...text,
  write: (writer, number, value) => void delimited(writer, number).bytes(Buffer.from(value)),
  read: (reader) => Buffer.from(reader.bytes()).toString(),
};

/** A spec within a spec. It is always printed, with all of its fields. */
export function message<T extends object>(fields: Fields<T>): FieldType<T> {
  return {
    get empty() {
      return readMessage(fields, new Uint8Array());
    },
    isEmpty: () => false,
    toYaml: (value) => yamlOfFields(fields, value),
    write: (writer, number, value) => {
      delimited(writer, number).fork();
      writeMessage(fields, writer, value);
      writer.join();
    },
    read: (reader) => readMessage(fields, reader.bytes()),
  };
}

/** Perhaps nothing: `null` in YAML. */
export function optional<T>(type: FieldType<T>): FieldType<T | undefined> {
  return {
    empty: undefined,
    isEmpty: (value) => value === undefined,
    toYaml: (value) => (value === undefined ? null : type.toYaml(value)),
    write: (writer, number, value) => type.write(writer, number, value as T),
    read: (reader, wireType, before) => type.read(reader, wireType, before ?? type.empty),
  };
}

export function list<T>(type: FieldType<T>): FieldType<readonly T[]> {
  const { pack } = type;
  return {
    empty: [],
    isEmpty: (values) => values.length === 0,
    toYaml: (values) => values.map((value) => type.toYaml(value)),
    write(writer, number, values) {
      if (pack === undefined) {
        for (const value of values) type.write(writer, number, value);
        return;
      }
      delimited(writer, number).fork();
      for (const value of values) pack(writer, value);
      writer.join();
    },
    read(reader, wireType, before) {
      if (pack === undefined || wireType !== WireType.LengthDelimited) {
        return [...before, type.read(reader, wireType, type.empty)];
      }
      const values = [...before];
      for (const end = reader.uint32() + reader.pos; reader.pos < end; ) {
        values.push(type.read(reader, WireType.Varint, type.empty));
      }
      return values;
    },
  };
}

interface Entry {
  readonly key: string;
  readonly value: string;
}

const entry = message<Entry>({ key: { number: 1, type: text }, value: { number: 2, type: text } });

/** Texts by name, sorted by name. */
export const textMap: FieldType<Readonly<Record<string, string>>> = {
  empty: {},
  isEmpty: (value) => Object.keys(value).length === 0,
  toYaml: (value) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))),
  write(writer, number, value) {
    for (const key of Object.keys(value).sort())
      entry.write(writer, number, { key, value: value[key] ?? '' });
  },
  read(reader, wireType, before) {
    const { key, value } = entry.read(reader, wireType, entry.empty);
    return { ...before, [key]: value };
  },
};

interface IpMessage {
  readonly ip: Uint8Array;
  readonly length: number;
}

const bytes: FieldType<Uint8Array> = {
  empty: new Uint8Array(),
  isEmpty: (value) => value.length === 0,
  toYaml: (value) => [...value],
  write: (writer, number, value) => void delimited(writer, number).bytes(value),
  read: (reader) => reader.bytes(),
};

const ipMessage = message<IpMessage>({
  ip: { number: 1, type: bytes },
  length: { number: 2, type: integer },
});

/** `10.0.0.1`; empty: none. */
export const ip: FieldType<string> = {
  ...text,
  write: (writer, number, value) => ipMessage.write(writer, number, { ip: ipBytes(value), length: 0 }),
  read: (reader, wireType) => ipText(ipMessage.read(reader, wireType, ipMessage.empty).ip),
};

/** `10.0.0.1/24`; empty: none. */
export const cidr: FieldType<string> = {
  ...text,
  write(writer, number, value) {
    const [address = '', length] = value.split('/');
    ipMessage.write(writer, number, { ip: ipBytes(address), length: Number(length ?? 0) });
  },
  read(reader, wireType) {
    const { ip: address, length } = ipMessage.read(reader, wireType, ipMessage.empty);
    return address.length === 0 ? '' : `${ipText(address)}/${length}`;
  },
};
