// Messages of the API with every field set, and the same with one field changed, made from the descriptors.
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '@nodewright/contract/gen/descriptors.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet()));

/** Not what a command shows: which node answered, and its failure. */
const metadataType = 'common.Metadata';
/** Messages that stand for one value. */
const valueTypes: ReadonlySet<string> = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration']);
const maxDepth = 6;

/** A field of a response, however deep: `messages.meminfo.memtotal`, and the message that has it: `machine.MemInfo.memtotal`. */
export interface SampleField {
  readonly path: string;
  readonly name: string;
}

/** The description of what a method answers. @param fullMethod `/package.Service/Method` */
export function responseOf(fullMethod: string): DescMessage {
  const [, service = '', method] = fullMethod.split('/');
  const output = registry.getService(service)?.methods.find(({ name }) => name === method)?.output;
  if (output === undefined) throw new Error(`no descriptor has the method ${fullMethod}`);
  return output;
}

/** The fields of a message and of those within that hold one value, or a list or map of single values. */
export function sampleFields(desc: DescMessage, prefix = '', depth = 0): SampleField[] {
  if (depth > maxDepth) return [];
  return desc.fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    const inner = nestedMessage(field);
    if (inner?.typeName === metadataType) return [];
    return inner === undefined
      ? [{ path, name: `${desc.typeName}.${field.name}` }]
      : sampleFields(inner, `${path}.`, depth + 1);
  });
}

/**
 * The message with one value in every field. Of a oneof it has the member on the way to `path`.
 *
 * @param isChanged whether the field at `path` has its other value.
 */
export function sampleMessage(desc: DescMessage, path: string, isChanged: boolean): Uint8Array {
  return toBinary(desc, filled(desc, { path, isChanged, at: '' }));
}

interface Fill {
  readonly path: string;
  readonly isChanged: boolean;
  /** The way to the message that is being filled: empty, or with a dot at its end. */
  readonly at: string;
}

function filled(desc: DescMessage, fill: Fill): MessageShape<DescMessage> {
  const values: Record<string, unknown> = {};
  for (const field of desc.fields) {
    const { oneof } = field;
    if (oneof !== undefined && memberOf(oneof.fields, fill) !== field) continue;
    const value = fieldValue(field, fill);
    if (value === undefined) continue;
    if (oneof === undefined) values[field.localName] = value;
    else values[oneof.localName] = { case: field.localName, value };
  }
  return create(desc, values);
}

function memberOf(fields: readonly DescField[], { path, at }: Fill): DescField | undefined {
  return fields.find(({ name }) => `${path}.`.startsWith(`${at}${name}.`)) ?? fields[0];
}

function fieldValue(field: DescField, fill: Fill): unknown {
  const path = `${fill.at}${field.name}`;
  const isOther = fill.isChanged && path === fill.path;
  const inner = nestedMessage(field);
  if (inner !== undefined) {
    if (inner.typeName === metadataType || path.split('.').length > maxDepth) return undefined;
    const message = filled(inner, { ...fill, at: `${path}.` });
    if (field.fieldKind === 'map') return { key: message };
    return field.fieldKind === 'list' ? [message] : message;
  }
  const value = singleValue(field, isOther);
  if (field.fieldKind === 'map') return { key: value };
  return field.fieldKind === 'list' ? [value] : value;
}

/** The message of a field, a list or a map, unless it stands for a value. */
function nestedMessage({ message }: DescField): DescMessage | undefined {
  return message === undefined || valueTypes.has(message.typeName) ? undefined : message;
}

/** The numbers differ so much that they stay different in any unit. Source: Protocol Buffers: numbers of field types. */
function singleValue(field: DescField, isOther: boolean): unknown {
  if (field.message !== undefined) return { seconds: isOther ? 1_700_000_000n : 1_600_000_000n, nanos: 0 };
  if (field.enum !== undefined) return field.enum.values[isOther ? 2 : 1]?.number ?? 0;
  const type = field.scalar as number;
  // A file that cannot be read has nothing else to show.
  if (field.name === 'error') return isOther ? 'failed' : '';
  // The other text ends like the usual one: some columns join a path with a name.
  if (type === 9) return isOther ? '/other/alpha' : 'alpha';
  if (type === 12) return Buffer.from(isOther ? 'beta' : 'alpha');
  if (type === 8) return isOther;
  if ([3, 4, 6, 16, 18].includes(type)) return isOther ? 7_000_000_000n : 3_000_000_000n;
  return isOther ? 50_000 : 30_000;
}
