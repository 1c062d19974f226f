// The datagrams of a client of DHCP for IPv6 on one link.
import type { Timers } from '@nodewright/async';
import {
  decodeInet6Message,
  encodeInet6Message,
  type Inet6Message,
  longestInet6MessageBytes,
} from '@nodewright/dhcp';
import { Fault } from '@nodewright/fault';
import { type Inet6Socket, loadNativeCalls, openInet6Socket } from '@nodewright/linux';
import type { WireLink } from './dhcp-wire.ts';

/** Sends and receives for a client. Each call may throw an error of the kernel, such as one of a link without a usable address. */
export interface Dhcp6Wire extends Disposable {
  /** Whether replies are received. */
  listen(isListening: boolean): void;
  /** To all servers of the link. */
  send(message: Inet6Message): void;
}

export interface Dhcp6WireEvents {
  readonly onMessage: (message: Inet6Message) => void;
  /** Nothing is received any more, until the wire is told again to listen. */
  readonly onError: (error: unknown) => void;
}

export type OpenDhcp6Wire = (link: WireLink, events: Dhcp6WireEvents) => Dhcp6Wire;

/** Source: RFC 8415, section 7.1. */
const allServers = 'ff02::1:2';
const ports = { client: 546, server: 547 } as const;

/**
 * Opens wires in the network namespace of this process. A wire that does not listen has no socket. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function loadDhcp6Wires(timers: Pick<Timers, 'monotonicMs' | 'after'>): Promise<OpenDhcp6Wire> {
  const calls = await loadNativeCalls();
  return (link, { onMessage, onError }) => {
    let socket: Inet6Socket | undefined;
    const close = () => {
      socket?.[Symbol.dispose]();
      socket = undefined;
    };
    const open = () =>
      openInet6Socket(calls, {
        ...{ link, port: ports.client, longestBytes: longestInet6MessageBytes, timers },
        onDatagram(bytes) {
          const message = messageOf(bytes);
          if (message !== undefined) onMessage(message);
        },
        onError(error) {
          close();
          onError(error);
        },
      });
    return {
      listen(isListening) {
        if (!isListening) close();
        else socket ??= open();
      },
      send(message) {
        socket ??= open();
        socket.send(encodeInet6Message(message), allServers, ports.server);
      },
      [Symbol.dispose]: close,
    };
  };
}

function messageOf(bytes: Uint8Array): Inet6Message | undefined {
  try {
    return decodeInet6Message(bytes);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
