import { Fault, faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { messagesOf, type NetlinkMessage, viewOf } from './netlink-message.ts';

/**
 * What arrived: messages of the kernel, or the report that messages were lost because the buffer was full.
 */
export type Received =
  | { readonly kind: 'messages'; readonly messages: NetlinkMessage[] }
  | { readonly kind: 'lost' };

/**
 * A socket to the part of the kernel that manages links, addresses and routes, or to another one. Its creator disposes of it.
 */
export interface NetlinkSocket extends Disposable {
  readonly descriptor: number;
  send(message: Uint8Array): void;
  /**
   * The next messages; undefined when there are none. Messages of other senders than the kernel are ignored.
   * The messages are views of memory that the next call of any socket overwrites.
   *
   * @throws Fault `data-loss` for an invalid datagram.
   */
  receive(): Received | undefined;
}

const netlinkFamily = 16;
const rawSocket = 3;
/** `NETLINK_*` of <linux/netlink.h>. */
const routeProtocol = 0;
export const genericProtocol = 16;
const socketLevel = 1;
const receiveBufferSize = 8;
const addressBytes = 12;
const senderOffset = 4;
const kernel = 0;
/** The kernel splits dumps into datagrams of this size at most, and its other messages are short. */
const datagramBytes = 65_536;
const receiveBufferBytes = 1 << 20;

let shared: Buffer | undefined;

/**
 * Opens a socket.
 *
 * @param groups bit mask of the multicast groups to join; 0: answers only
 * @param protocol the part of the kernel: links, addresses and routes when it is left out
 * @throws Fault `unavailable` if the kernel has no netlink, or the process may not use it
 */
export function openNetlinkSocket(
  calls: NativeCalls,
  groups: number,
  protocol = routeProtocol,
): NetlinkSocket {
  const descriptor = inWords('cannot open a netlink socket', () =>
    calls.socket(netlinkFamily, rawSocket, protocol),
  );
  try {
    // The kernel doubles this value, and limits it to the administrator's maximum.
    if (groups !== 0)
      calls.setSocketOption(descriptor, socketLevel, receiveBufferSize, word(receiveBufferBytes));
    calls.bind(descriptor, netlinkAddress(groups));
  } catch (error) {
    calls.close(descriptor);
    throw faultFrom(error);
  }
  const sender = Buffer.alloc(addressBytes);
  let isOpen = true;

  return {
    descriptor,
    send: (message) => inWords('netlink', () => calls.sendTo(descriptor, message, netlinkAddress(0))),
    receive() {
      shared ??= Buffer.alloc(datagramBytes);
      for (;;) {
        const length = receiveInto(calls, descriptor, shared, sender);
        if (length === undefined || length === 'lost') return length && { kind: 'lost' };
        if (viewOf(sender).getUint32(senderOffset, true) !== kernel) continue;
        if (length > shared.length) throw new Fault('data-loss', `netlink: a datagram of ${length} bytes`);
        return { kind: 'messages', messages: messagesOf(shared.subarray(0, length)) };
      }
    },
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      calls.close(descriptor);
    },
  };
}

function receiveInto(
  calls: NativeCalls,
  descriptor: number,
  into: Uint8Array,
  sender: Uint8Array,
): number | 'lost' | undefined {
  try {
    return calls.receiveFrom(descriptor, into, sender);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOBUFS') return 'lost';
    throw faultFrom(error);
  }
}

function inWords<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new Fault('unavailable', `${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/**
 * Encodes a `struct sockaddr_nl` with port id 0. In `sendto()` it addresses the kernel; in `bind()` the
 * kernel chooses a port id for this socket.
 */
function netlinkAddress(groups: number): Uint8Array {
  const address = Buffer.alloc(addressBytes);
  address.writeUInt16LE(netlinkFamily, 0);
  address.writeUInt32LE(groups, 8);
  return address;
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
