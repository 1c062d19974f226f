import { isIPv4 } from 'node:net';
import type { NativeCalls } from './native-calls.ts';

export interface UdpSenderInit {
  /** The datagrams leave by this link, whatever the routes are. */
  readonly linkName: string;
  /** An IPv4 address that this host has. */
  readonly address: string;
  readonly port: number;
}

/** Sends IPv4 datagrams. Replies to its address and port are not refused, and are not read: what reads the frames of the link has them. */
export interface UdpSender extends Disposable {
  /** @throws SystemCallError when the kernel does not take it, `ENETUNREACH` without a route */
  send(datagram: Uint8Array, address: string, port: number): void;
}

// <sys/socket.h>, <asm-generic/socket.h>
const inet4Family = 2;
const datagramSocket = 2;
const nonBlocking = 0o4000;
const socketLevel = 1;
const reuseAddress = 2;
const receiveBuffer = 8;
const bindToDevice = 25;

/** @throws SystemCallError `EADDRNOTAVAIL` when this host does not have the address, `ENODEV` without the link */
export function openUdpSender(calls: NativeCalls, { linkName, address, port }: UdpSenderInit): UdpSender {
  using scope = new DisposableStack();
  const socket = calls.socket(inet4Family, datagramSocket | nonBlocking, 0);
  scope.defer(() => calls.close(socket));
  calls.setSocketOption(socket, socketLevel, reuseAddress, Uint8Array.of(1, 0, 0, 0));
  // The smallest that the kernel has: nothing is read.
  calls.setSocketOption(socket, socketLevel, receiveBuffer, new Uint8Array(4));
  calls.setSocketOption(socket, socketLevel, bindToDevice, Buffer.from(`${linkName}\0`));
  calls.bind(socket, inet4Address(address, port));
  const resources = scope.move();
  return {
    send: (datagram, to, toPort) => calls.sendTo(socket, datagram, inet4Address(to, toPort)),
    [Symbol.dispose]: () => resources.dispose(),
  };
}

/** A `struct sockaddr_in`. */
function inet4Address(address: string, port: number): Uint8Array {
  if (!isIPv4(address)) throw new TypeError(`${JSON.stringify(address)} is not an IPv4 address`);
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(inet4Family, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(address.split('.').map(Number), 4);
  return bytes;
}
