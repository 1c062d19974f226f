// The packets of a DHCP client on one link.
import type { Timers } from '@nodewright/async';
import {
  clientPortFilter,
  type DhcpMessage,
  decodeMessage,
  decodeUdpFrame,
  dhcpPorts,
  encodeArpAnnouncement,
  encodeArpProbe,
  encodeBroadcast,
  encodeMessage,
  etherTypes,
  longestFrameBytes,
  otherOwner,
} from '@nodewright/dhcp';
import { Fault } from '@nodewright/fault';
import {
  type FrameSocket,
  loadNativeCalls,
  type NativeCalls,
  openFrameSocket,
  openUdpSender,
  type UdpSender,
} from '@nodewright/linux';

/** The link of a client. */
export interface WireLink {
  readonly name: string;
  readonly index: number;
  readonly hardware: string;
}

export interface WireEvents {
  readonly onMessage: (message: DhcpMessage) => void;
  /** Another host has this address, for which the wire was told to listen. */
  readonly onOwner: (address: string, owner: string) => void;
  /** Nothing is received any more, until the wire is told again to listen. */
  readonly onError: (error: unknown) => void;
}

/** What is received: replies of servers, owners of an address, or nothing. */
export type Reception = 'servers' | { readonly ownersOf: string } | 'nothing';

/** Sends and receives for a client. Each call may throw an error of the kernel, such as one of a link that is down. */
export interface DhcpWire extends Disposable {
  listen(reception: Reception): void;
  broadcast(message: DhcpMessage): void;
  /** From an address that the link has. */
  unicast(message: DhcpMessage, from: string, to: string): void;
  /** Asks who has an address. */
  probe(address: string): void;
  /** Says that this host has an address now. */
  announce(address: string): void;
  /** Closes what renewals use. */
  forgetAddress(): void;
}

export type OpenDhcpWire = (link: WireLink, events: WireEvents) => DhcpWire;

const arpFrameBytes = 64;

/**
 * Opens wires in the network namespace of this process, which needs CAP_NET_RAW. A wire that listens to nothing has no socket. Only a
 * machine that owns its network may have them. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function loadDhcpWires(timers: Pick<Timers, 'monotonicMs' | 'after'>): Promise<OpenDhcpWire> {
  const calls = await loadNativeCalls();
  return (link, events) => new PacketWire(calls, timers, link, events);
}

class PacketWire implements DhcpWire {
  readonly #calls: NativeCalls;
  readonly #timers: Pick<Timers, 'monotonicMs' | 'after'>;
  readonly #link: WireLink;
  readonly #events: WireEvents;
  #reception: Reception = 'nothing';
  #socket: FrameSocket | undefined;
  #sender: UdpSender | undefined;

  constructor(
    calls: NativeCalls,
    timers: Pick<Timers, 'monotonicMs' | 'after'>,
    link: WireLink,
    events: WireEvents,
  ) {
    this.#calls = calls;
    this.#timers = timers;
    this.#link = link;
    this.#events = events;
  }

  listen(reception: Reception): void {
    const textOf = (of: Reception) => (typeof of === 'string' ? of : `owners of ${of.ownersOf}`);
    if (textOf(reception) === textOf(this.#reception)) return;
    this.#close();
    if (reception === 'servers')
      this.#socket = this.#open(etherTypes.inet4, clientPortFilter, longestFrameBytes, (frame) =>
        this.#received(frame),
      );
    else if (reception !== 'nothing') {
      const { ownersOf: address } = reception;
      this.#socket = this.#open(etherTypes.arp, [], arpFrameBytes, (frame) => {
        const owner = otherOwner(frame, this.#link.hardware, address);
        if (owner !== undefined) this.#events.onOwner(address, owner);
      });
    }
    this.#reception = reception;
  }

  broadcast(message: DhcpMessage): void {
    const frame = encodeBroadcast({
      ...{ hardware: this.#link.hardware, source: message.clientAddress },
      ...{ sourcePort: dhcpPorts.client, destinationPort: dhcpPorts.server },
      payload: encodeMessage(message),
    });
    this.#send(etherTypes.inet4, frame);
  }

  unicast(message: DhcpMessage, from: string, to: string): void {
    this.#sender ??= openUdpSender(this.#calls, {
      ...{ linkName: this.#link.name, address: from, port: dhcpPorts.client },
    });
    this.#sender.send(encodeMessage(message), to, dhcpPorts.server);
  }

  probe(address: string): void {
    this.#send(etherTypes.arp, encodeArpProbe(this.#link.hardware, address));
  }

  announce(address: string): void {
    this.#send(etherTypes.arp, encodeArpAnnouncement(this.#link.hardware, address));
  }

  forgetAddress(): void {
    this.#sender?.[Symbol.dispose]();
    this.#sender = undefined;
  }

  [Symbol.dispose](): void {
    this.#close();
    this.forgetAddress();
  }

  #close(): void {
    this.#socket?.[Symbol.dispose]();
    this.#socket = undefined;
    this.#reception = 'nothing';
  }

  #open(
    etherType: number,
    filter: typeof clientPortFilter | readonly [],
    longestBytes: number,
    onFrame: (frame: Uint8Array) => void,
  ): FrameSocket {
    const onError = (error: unknown) => {
      this.#close();
      this.#events.onError(error);
    };
    const { index: linkIndex } = this.#link;
    const init = { linkIndex, etherType, filter, longestBytes, timers: this.#timers, onFrame, onError };
    return openFrameSocket(this.#calls, init);
  }

  /** By the socket that is open, or by one for this frame alone, such as a DECLINE while owners are listened for. */
  #send(etherType: number, frame: Uint8Array) {
    const isOpen = this.#reception !== 'nothing';
    const openType = this.#reception === 'servers' ? etherTypes.inet4 : etherTypes.arp;
    if (this.#socket !== undefined && isOpen && openType === etherType) return this.#socket.send(frame);
    using socket = this.#open(etherType, [], frame.length, () => {});
    socket.send(frame);
  }

  #received(frame: Uint8Array): void {
    const datagram = decodeUdpFrame(frame);
    if (datagram === undefined || datagram.destinationPort !== dhcpPorts.client) return;
    // A frame of this host that came back, such as by a bridge, is no reply.
    if (datagram.hardware === this.#link.hardware) return;
    let message: DhcpMessage;
    try {
      message = decodeMessage(datagram.payload);
    } catch (error) {
      if (error instanceof Fault) return;
      throw error;
    }
    this.#events.onMessage(message);
  }
}
