// Answers of a malicious node: every text in every message of the API contains terminal sequences.
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '@nodewright/contract/gen/descriptors.ts';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';

/** Queries the terminal, renames it, erases, reverses the text direction, and imitates a line of node02. */
export const hostileText =
  'evil\u001b[6n\u001b]0;T\u0007\u009b6n\u202egnp\u2066\u200b\ufeff\r\u2028\nnode02: FORGED\nerror from node node02: FORGED\n\tx';
/** The same with invalid UTF-8; the last character is truncated. */
const hostileBytes = Buffer.concat([
  Buffer.from(hostileText),
  Buffer.from([0x9b, 0x36, 0x6e, 0xff, 0x0a, 0xe2, 0x80]),
]);

const maxDepth = 5;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet()));

/**
 * The kind of answer: messages with every field set, an error inside the message, or a failure of the call.
 */
export type HostileMode = 'messages' | 'metadata' | 'failure';

/**
 * Handlers of every method of every service, except those of resources.
 *
 * @param text every text of the answers
 */
export function hostileHandlers(mode: () => HostileMode, text = hostileText): Record<string, FakeHandler> {
  const handlers: Record<string, FakeHandler> = {};
  for (const service of [...registry].filter((desc) => desc.kind === 'service')) {
    for (const method of service.methods) {
      handlers[`/${service.typeName}/${method.name}`] = (call) => answer(call, method, mode(), text);
    }
  }
  return handlers;
}

function answer(
  call: FakeCall,
  { output, methodKind }: { readonly output: DescMessage; readonly methodKind: string },
  mode: HostileMode,
  text: string,
): void {
  const isVersion = call.path.endsWith('/Version');
  // Commands that read versions first would otherwise never get further.
  if (mode === 'failure' && !isVersion) {
    call.fail(13, text);
    return;
  }
  const withMetadata = mode === 'metadata' && !isVersion;
  const count = methodKind.includes('server_streaming') || methodKind.includes('bidi') ? 3 : 1;
  for (let variant = 0; variant < count; variant++) {
    call.send(toBinary(output, filled(output, { variant, withMetadata, depth: 0, text })));
  }
  call.end();
}

interface Fill {
  /** Which member of a oneof is set. */
  readonly variant: number;
  readonly withMetadata: boolean;
  readonly depth: number;
  readonly text: string;
}

function filled(desc: DescMessage, fill: Fill): ReturnType<typeof create> {
  const deeper = { ...fill, depth: fill.depth + 1 };
  if (desc.typeName === 'google.protobuf.Any') return anyEvent(desc, deeper);
  const values: Record<string, unknown> = {};
  for (const field of desc.fields) {
    const { oneof } = field;
    if (oneof !== undefined && oneof.fields[fill.variant % oneof.fields.length] !== field) continue;
    const value = fieldValue(field, deeper);
    if (value === undefined) continue;
    if (oneof === undefined) values[field.localName] = value;
    else values[oneof.localName] = { case: field.localName, value };
  }
  return create(desc, values);
}

function anyEvent(desc: DescMessage, fill: Fill): ReturnType<typeof create> {
  const event = registry.getMessage('machine.ServiceStateEvent') as DescMessage;
  const value = toBinary(event, filled(event, fill));
  return create(desc, { typeUrl: 'talos/runtime/machine.ServiceStateEvent', value });
}

function fieldValue(field: DescField, fill: Fill): unknown {
  if (field.fieldKind === 'map') return undefined;
  const single = singleValue(field, fill);
  return field.fieldKind === 'list' && single !== undefined ? [single] : single;
}

function singleValue(field: Exclude<DescField, { fieldKind: 'map' }>, fill: Fill): unknown {
  if (field.message !== undefined) {
    const isMetadata = field.message.typeName === 'common.Metadata';
    if (fill.depth > maxDepth || (isMetadata && !fill.withMetadata)) return undefined;
    if (isMetadata) return create(field.message, { error: fill.text, hostname: fill.text });
    return filled(field.message, fill);
  }
  if (field.enum !== undefined) return field.enum.values[1]?.number ?? 0;
  // Source: Protocol Buffers: numbers of field types.
  const type = field.scalar as number;
  if (type === 9) return field.name === 'tag' ? 'v1.14.0' : fill.text;
  if (type === 12) return fill.text === hostileText ? hostileBytes : Buffer.from(`${fill.text}\n`);
  if (type === 8) return true;
  return [3, 4, 6, 16, 18].includes(type) ? 1n : 1;
}
