// How apid marks the answers of several nodes with the nodes' names. It edits bytes and decodes nothing:
// every message that it handles has `common.Metadata metadata` as field 1, whatever other fields follow.
import { Empty, EmptyResponse } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { Fault, grpcCodeName } from '@nodewright/fault';

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

/**
 * Bytes that name the target. Appended to a message, they merge into its `metadata` and keep the fields that
 * are already set. Source: Protocol Buffers: encoding, last one wins and messages merge.
 */
export function hostnameSuffix(hostname: string): Uint8Array {
  return Empty.encode(Empty.create({ metadata: { hostname } })).finish();
}

/**
 * Turns the unary answer of one target into its part of the joint answer. The answer must hold exactly one
 * entry in `messages`, its first field; the target's name is appended to that entry. Concatenated parts, in
 * any order, form one message.
 * @throws Fault `unknown` when the answer has another shape. Source: Talos v1.14: one2many unary.
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
  return wrap(Buffer.concat([answer.subarray(length.next), hostnameSuffix(hostname)]));
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

function wrap(body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([messagesTag]), varint(body.length), body]);
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
