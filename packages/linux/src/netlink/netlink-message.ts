import { Fault } from '@nodewright/fault';

/** A message of a netlink socket in the layout of <linux/netlink.h>. Numbers are in host byte order. */
export interface NetlinkMessage {
  readonly type: number;
  readonly flags: number;
  /** Sequence number of the request that it answers; 0 without a request. */
  readonly sequence: number;
  readonly payload: Uint8Array;
}

export const netlinkTypes = { error: 2, done: 3, overrun: 4 } as const;
export const netlinkFlags = {
  request: 0x1,
  acknowledge: 0x4,
  /** Flag of a dump whose contents changed during the dump. */
  interrupted: 0x10,
  dump: 0x300,
  replace: 0x100,
  exclusive: 0x200,
  create: 0x400,
} as const;

export const netlinkHeaderBytes = 16;
const alignment = 4;

/** The offset of the next item after one of this length. */
export const aligned = (lengthBytes: number) => (lengthBytes + alignment - 1) & ~(alignment - 1);

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @throws Fault `data-loss` when fewer than `lengthBytes` remain. */
export function requireBytes(bytes: Uint8Array, lengthBytes: number, what: string): void {
  if (bytes.length >= lengthBytes) return;
  throw new Fault('data-loss', `netlink: ${what} of ${bytes.length} bytes is truncated`);
}

/**
 * The messages of one datagram.
 *
 * @throws Fault `data-loss` for an invalid length.
 */
export function messagesOf(datagram: Uint8Array): NetlinkMessage[] {
  const view = viewOf(datagram);
  const messages: NetlinkMessage[] = [];
  for (let at = 0; at < datagram.length; ) {
    requireBytes(datagram.subarray(at), netlinkHeaderBytes, 'a header');
    const length = view.getUint32(at, true);
    if (length < netlinkHeaderBytes || length > datagram.length - at) {
      throw new Fault(
        'data-loss',
        `netlink: a message of ${length} bytes where ${datagram.length - at} remain`,
      );
    }
    messages.push({
      type: view.getUint16(at + 4, true),
      flags: view.getUint16(at + 6, true),
      sequence: view.getUint32(at + 8, true),
      payload: datagram.subarray(at + netlinkHeaderBytes, at + length),
    });
    at += aligned(length);
  }
  return messages;
}

/** One message as a datagram. The kernel fills in the sender. */
export function encodeMessage({ type, flags, sequence, payload }: NetlinkMessage): Buffer {
  const datagram = Buffer.alloc(netlinkHeaderBytes + payload.length);
  datagram.writeUInt32LE(datagram.length, 0);
  datagram.writeUInt16LE(type, 4);
  datagram.writeUInt16LE(flags, 6);
  datagram.writeUInt32LE(sequence, 8);
  datagram.set(payload, netlinkHeaderBytes);
  return datagram;
}

/**
 * The number of the errno in a message of type `error`; 0 for success.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function errorNumberOf({ payload }: NetlinkMessage): number {
  requireBytes(payload, 4, 'an error');
  return 0 - viewOf(payload).getInt32(0, true);
}
