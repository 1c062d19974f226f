// How apid marks the answers of several nodes with the nodes' names. It edits bytes and decodes only what a node wrote about itself:
// every message that it handles has `common.Metadata metadata` as field 1, whatever other fields follow.
import { Empty, EmptyResponse, Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { Fault, grpcCodeName } from '@nodewright/fault';
import { FieldCursor } from './field-cursor.ts';
import { entryMetadataBytes } from './limits.ts';

/**
 * Protobuf tag of field 1 with wire type 2 (length-delimited): `messages` in a response, `metadata` in an
 * entry.
 */
const messagesTag = 0x0a;

/** How the call to one target failed. */
export interface TargetFailure {
  /** gRPC status code. */
  readonly code: number;
  readonly message: string;
  /** An encoded `google.rpc.Status`; `undefined` when the target sent no details. */
  readonly details: Uint8Array | undefined;
}

/** An entry of a joint answer. `rest` and `metadata`, one after the other, are its bytes. */
export interface LabelledEntry {
  /** The fields of the node's entry without its metadata. */
  readonly rest: Uint8Array;
  /** The field that names the node. */
  readonly metadata: Uint8Array;
}

/** The metadata of an entry that says nothing but the node's name. */
export function hostnameField(hostname: string): Uint8Array {
  return Empty.encode(Empty.create({ metadata: { hostname } })).finish();
}

/**
 * Puts the node's name into an entry that the node has sent. Whatever metadata the entry has is removed, and written anew with the
 * error and the status that it contained: a node can say how its call ended, and not whose answer it is. Without metadata
 * the bytes of the entry are not copied. Source: Talos v1.14: one2many streaming.
 *
 * @param plain `hostnameField()` of this name
 * @throws Fault `unknown` when the entry does not consist of whole fields, or its metadata is not readable
 */
export function labelledEntry(entry: Uint8Array, hostname: string, plain: Uint8Array): LabelledEntry {
  let rest: Uint8Array | undefined;
  let kept = 0;
  let own: Uint8Array | undefined;
  const field = new FieldCursor(entry, 0, entry.length, 'the entry');
  while (field.next()) {
    const { number, isBytes, start, valueStart, end } = field;
    if (number === 1) {
      // The fields behind it move forward in a copy.
      rest ??= new Uint8Array(entry);
      own = isBytes ? entry.subarray(valueStart, end) : own;
      continue;
    }
    rest?.copyWithin(kept, start, end);
    kept += end - start;
  }
  const metadata = own === undefined ? undefined : ownMetadata(own);
  return {
    rest: rest?.subarray(0, kept) ?? entry,
    metadata: metadata === undefined ? plain : Empty.encode({ metadata: { ...metadata, hostname } }).finish(),
  };
}

/** What a node says of its own answer; `undefined` for nothing. Nobody else's name is taken from it. */
function ownMetadata(bytes: Uint8Array): Omit<Metadata, 'hostname'> | undefined {
  const unreadable = (what: string) =>
    new Fault('unknown', `unexpected message format: the metadata of the entry ${what}`);
  if (bytes.length > entryMetadataBytes) throw unreadable(`has more than ${entryMetadataBytes} bytes`);
  let metadata: Metadata;
  try {
    metadata = Metadata.decode(bytes);
  } catch {
    throw unreadable('cannot be decoded');
  }
  const { error, status } = metadata;
  return error === '' && status === undefined ? undefined : { error, status };
}

/**
 * Turns the unary answer of one target into its part of the joint answer. The answer must hold exactly one
 * entry in `messages`, its first field; the target's name becomes the metadata of that entry. Concatenated parts, in
 * any order, form one message.
 * @throws Fault `unknown` when the answer has another shape, or as `labelledEntry()`. Source: Talos v1.14: one2many unary.
 */
export function unaryEntry(answer: Uint8Array, hostname: string): Uint8Array {
  const tag = readVarint(answer, 0);
  if (tag === undefined) throw new Fault('unknown', 'unexpected message format: no entry in messages');
  if (tag.value !== messagesTag) throw new Fault('unknown', `unexpected message format: ${tag.value}`);
  const length = readVarint(answer, tag.next);
  if (length === undefined || length.next + length.value > answer.length) {
    throw new Fault('unknown', 'unexpected message format: the entry in messages is truncated');
  }
  if (length.next + length.value < answer.length) {
    throw new Fault('unknown', 'unexpected message format: more than one entry in messages');
  }
  const { rest, metadata } = labelledEntry(answer.subarray(length.next), hostname, hostnameField(hostname));
  const head = [messagesTag, ...varint(rest.length + metadata.length)];
  return Buffer.concat([Uint8Array.from(head), rest, metadata]);
}

/** Encodes a target's failure as its part of a joint unary answer. */
export function unaryFailure(hostname: string, failure: TargetFailure): Uint8Array {
  return EmptyResponse.encode({ messages: [failureEntry(hostname, failure)] }).finish();
}

/** Encodes a target's failure as a message of a joint stream. */
export function streamFailure(hostname: string, failure: TargetFailure): Uint8Array {
  return Empty.encode(failureEntry(hostname, failure)).finish();
}

function failureEntry(hostname: string, { code, message, details }: TargetFailure): Empty {
  return Empty.create({
    metadata: {
      hostname,
      error: `rpc error: code = ${grpcCodeName(code)} desc = ${message}`,
      status: statusOf(code, message, details),
    },
  });
}

/** The target's own status with its details when they can be decoded, otherwise a status without details. */
function statusOf(code: number, message: string, details: Uint8Array | undefined): Status {
  const plain = Status.create({ code, message });
  if (details === undefined) return plain;
  try {
    return Status.decode(details);
  } catch {
    return plain;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/**
 * Reads a varint of at most five bytes, enough for tags and lengths; `undefined` when the bytes hold none.
 */
function readVarint(bytes: Uint8Array, start: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { value, next: start + index + 1 };
  }
  return undefined;
}
