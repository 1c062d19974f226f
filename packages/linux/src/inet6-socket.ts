// A few UDP datagrams of IPv6 in both directions between hosts of one link, whatever the routes are.
import type { Timers } from '@nodewright/async';
import { ipAddressBytes } from './ip-address-text.ts';
import { readLimited } from './limited-reader.ts';
import type { NativeCalls } from './native-calls.ts';
import { attachFilter } from './socket-filter.ts';

export interface Inet6SocketInit {
  readonly link: { readonly name: string; readonly index: number };
  /** Of this host. */
  readonly port: number;
  /** Longer datagrams are dropped. */
  readonly longestBytes: number;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** Called with each datagram that was sent to a link-local address of this host. It is valid only during the call. */
  readonly onDatagram: (datagram: Uint8Array) => void;
  /** Reception has failed with a Fault, and nothing more comes. The caller disposes of the socket. */
  readonly onError: (error: unknown) => void;
}

export interface Inet6Socket extends Disposable {
  /**
   * Sends a datagram from the address of the link that suits.
   *
   * @param address of a host, or of a group, on the link
   * @throws SystemCallError when the kernel does not take it, `EADDRNOTAVAIL` while the link has no usable address
   */
  send(datagram: Uint8Array, address: string, port: number): void;
}

// <sys/socket.h>, <asm-generic/socket.h>, <linux/in6.h>
const inet6Family = 10;
const datagramSocket = 2;
const nonBlocking = 0o4000;
const socketLevel = 1;
const receiveBuffer = 8;
const bindToDevice = 25;
const ipv6Level = 41;
const onlyIpv6 = 26;

/**
 * A program of classic BPF that passes what was sent to a link-local address. No router forwards that, so a host of another network can
 * neither answer in place of one of the link, nor fill the queue.
 */
const linkLocalOnly = [
  // The first half of the destination: its offset in the header of IPv6, counted from `SKF_NET_OFF`.
  { op: 0x28, jt: 0, jf: 0, k: 0xfff0_0000 + 24 },
  { op: 0x54, jt: 0, jf: 0, k: 0xffc0 },
  { op: 0x15, jt: 0, jf: 1, k: 0xfe80 },
  { op: 0x06, jt: 0, jf: 0, k: 0x40000 },
  { op: 0x06, jt: 0, jf: 0, k: 0 },
] as const;

/** What the kernel keeps until it is read. */
const receiveBufferBytes = 64 * 1024;
/** Datagrams that are read in a second. */
export const mostDatagramsASecond = 64;

/**
 * Opens a socket. It uses no thread, and does not keep the process alive.
 *
 * @throws SystemCallError `EADDRINUSE` when the port is taken on the link, `ENODEV` without the link
 */
export function openInet6Socket(calls: NativeCalls, init: Inet6SocketInit): Inet6Socket {
  const { link, port, longestBytes, timers, onDatagram, onError } = init;
  using scope = new DisposableStack();
  const socket = calls.socket(inet6Family, datagramSocket | nonBlocking, 0);
  scope.defer(() => calls.close(socket));
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes;
  };
  calls.setSocketOption(socket, ipv6Level, onlyIpv6, number(1));
  calls.setSocketOption(socket, socketLevel, receiveBuffer, number(receiveBufferBytes));
  calls.setSocketOption(socket, socketLevel, bindToDevice, Buffer.from(`${link.name}\0`));
  attachFilter(calls, socket, linkLocalOnly);
  calls.bind(socket, inet6Address('::', port, 0));

  // One byte more shows that a datagram is too long.
  const datagram = Buffer.alloc(longestBytes + 1);
  const sender = Buffer.alloc(28);
  const read = () => {
    const length = calls.receiveFrom(socket, datagram, sender);
    if (length !== undefined && length <= longestBytes) onDatagram(datagram.subarray(0, length));
    return length !== undefined;
  };
  scope.use(
    readLimited(calls, {
      descriptor: socket,
      mostASecond: mostDatagramsASecond,
      ...{ timers, read, onError },
    }),
  );
  const resources = scope.move();
  return {
    send: (bytes, to, toPort) => calls.sendTo(socket, bytes, inet6Address(to, toPort, link.index)),
    [Symbol.dispose]: () => resources.dispose(),
  };
}

/** A `struct sockaddr_in6`. */
function inet6Address(address: string, port: number, linkIndex: number): Uint8Array {
  const bytes = Buffer.alloc(28);
  bytes.writeUInt16LE(inet6Family, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(ipAddressBytes(address), 8);
  bytes.writeUInt32LE(linkIndex, 24);
  return bytes;
}
