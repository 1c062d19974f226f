// How apid stamps the answers of several nodes with their names. It edits bytes and decodes nothing: every message that
// comes through here has `common.Metadata metadata` as field 1, whatever else it has.
import { Empty, EmptyResponse } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { Fault, grpcCodeName } from '@nodewright/fault';

/** Tag of a field 1 that holds bytes or a message. */
const messagesTag = 0x0a;

/** How the call to one target ended when it did not end well. */
export interface TargetFailure {
  /** gRPC status code. */
  readonly code: number;
  readonly message: string;
  /** An encoded `google.rpc.Status`, when the target sent one with details. */
  readonly details: Uint8Array | undefined;
}

/**
 * Bytes that name the target: appended to a message they merge into its `metadata`, so that what stands there already
 * stays. Source: Protocol Buffers: encoding, last one wins and messages merge.
 */
export function hostnameSuffix(hostname: string): Uint8Array {
  return Empty.encode(Empty.create({ metadata: { hostname } })).finish();
}

/**
 * One target's unary answer as its part of the joint answer. The answer must hold exactly one entry in `messages`, its
 * first field; the name goes to the end of that entry. Parts in any order, one after the other, are one message.
 * Throws a Fault `unknown` for another shape. Source: Talos v1.14: one2many unary.
 */
export function unaryEntry(answer: Uint8Array, hostname: string): Uint8Array {
  const tag = readVarint(answer, 0);
  if (tag === undefined) throw new Fault('unknown', 'unexpected message format: no entry in messages');
  if (tag.value !== messagesTag) throw new Fault('unknown', `unexpected message format: ${tag.value}`);
  const length = readVarint(answer, tag.next);
  if (length === undefined || length.next + length.value > answer.length) {
    throw new Fault('unknown', 'unexpected message format: the entry in messages is cut short');
  }
  if (length.next + length.value < answer.length) {
    throw new Fault('unknown', 'unexpected message format: more than one entry in messages');
  }
  return wrap(Buffer.concat([answer.subarray(length.next), hostnameSuffix(hostname)]));
}

/** A target's failure as its part of a joint unary answer. */
export function unaryFailure(hostname: string, failure: TargetFailure): Uint8Array {
  return EmptyResponse.encode({ messages: [failureEntry(hostname, failure)] }).finish();
}

/** A target's failure as a message of a joint stream. */
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

/** The target's own status with its details when it can be read, else one without. */
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

/** Reads a varint of at most five bytes, as tags and lengths are; undefined when there is none. */
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
