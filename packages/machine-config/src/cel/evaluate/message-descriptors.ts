// Descriptors of the messages of selectors, which the evaluator asks for fields. They are made from the declarations that the checker
// uses, so both know the same fields.
import { create, createFileRegistry, type FileRegistry } from '@bufbuild/protobuf';
import {
  DurationSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import type { MessageDeclarations } from '../declarations/messages.ts';
import { parseType } from '../types/parse-type.ts';
import type { Type } from '../types/type.ts';

type Enumerations = Readonly<Record<string, Readonly<Record<string, number>>>>;

const { INT64, UINT64, BOOL, STRING, BYTES, DOUBLE, MESSAGE } = FieldDescriptorProto_Type;

const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  ...{ int: INT64, uint: UINT64, bool: BOOL, string: STRING, bytes: BYTES, double: DOUBLE },
};

/**
 * Builds a registry of messages and enumerations. The numbers of fields are their positions: nothing is encoded with them.
 *
 * @throws RangeError if the type of a field is not supported
 */
export function messageRegistry(messages: MessageDeclarations, enumerations: Enumerations): FileRegistry {
  const packages = new Set([...Object.keys(messages), ...Object.keys(enumerations)].map(packageOf));
  const durationFile = DurationSchema.file.proto;
  const files = new Map<string, FileDescriptorProto>();
  const add = (name: string): void => {
    if (files.has(name)) return;
    const own = Object.entries(messages).filter(([message]) => packageOf(message) === name);
    const dependencies = new Set(
      own
        .flatMap(([, fields]) => Object.values(fields).map((type) => elementOf(parseType(type))))
        .filter(({ kind }) => kind === 'message')
        .map((type) => packageOf(type.name))
        .filter((other) => other !== name),
    );
    for (const other of dependencies) add(other);
    files.set(
      name,
      create(FileDescriptorProtoSchema, {
        ...{ name: `${name}.proto`, package: name, syntax: 'proto3' },
        dependency: [durationFile.name, ...[...dependencies].map((other) => `${other}.proto`)],
        messageType: own.map(([message, fields]) => ({
          name: shortName(message),
          field: Object.entries(fields).map(([field, type], index) => ({
            ...{ name: field, number: index + 1 },
            ...fieldType(parseType(type)),
          })),
        })),
        enumType: Object.entries(enumerations)
          .filter(([enumeration]) => packageOf(enumeration) === name)
          .map(([enumeration, constants]) => ({
            name: shortName(enumeration),
            value: Object.entries(constants).map(([constant, number]) => ({ name: constant, number })),
          })),
      }),
    );
  };
  for (const name of packages) add(name);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [durationFile, ...files.values()] }));
}

function fieldType(type: Type) {
  const element = elementOf(type);
  const label = element === type ? FieldDescriptorProto_Label.OPTIONAL : FieldDescriptorProto_Label.REPEATED;
  if (element.kind === 'message') return { label, type: MESSAGE, typeName: `.${element.name}` };
  if (element.name === 'duration') return { label, type: MESSAGE, typeName: `.${DurationSchema.typeName}` };
  const scalar = scalars[element.name];
  if (scalar === undefined) throw new RangeError(`a field of type ${element.name} is not supported`);
  return { label, type: scalar };
}

const elementOf = (type: Type): Type => (type.name === 'list' ? (type.parameters[0] as Type) : type);
const packageOf = (name: string) => name.slice(0, name.lastIndexOf('.'));
const shortName = (name: string) => name.slice(name.lastIndexOf('.') + 1);
