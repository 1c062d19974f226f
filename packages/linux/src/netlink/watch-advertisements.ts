import type { Timers } from '@nodewright/async';
import { readLimited } from '../limited-reader.ts';
import type { NativeCalls } from '../native-calls.ts';
import { type NetlinkMessage, requireBytes, viewOf } from './netlink-message.ts';
import { openNetlinkSocket } from './netlink-socket.ts';

/** An option of a router's advertisement that the kernel leaves to programs, such as those about name servers. */
export interface AdvertisedOption {
  /** The link that received it. */
  readonly linkIndex: number;
  /** With its type and its length in front. A copy. */
  readonly bytes: Uint8Array;
}

export interface AdvertisementWatchInit {
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  readonly onOption: (option: AdvertisedOption) => void;
  /** The watch has failed with a Fault and reports nothing more. The caller disposes of it. */
  readonly onError: (error: unknown) => void;
}

/** `RTNLGRP_ND_USEROPT`, 20, as a bit of the mask of groups. Source: Linux, rtnetlink.h. */
const group = 1 << 19;
/** `RTM_NEWNDUSEROPT`. */
const newOption = 68;
const inet6 = 10;
/** Of ICMPv6. Source: RFC 4861, section 4.2. */
const routerAdvertisement = 134;
/** Of `struct nduseroptmsg`. */
const headerBytes = 16;

/** Options that are read in a second. Routers send a few each minute, and repeat what is lost. */
export const mostOptionsASecond = 64;

/**
 * Watches the options of routers' advertisements in the network namespace of this process, from its return until it is disposed of. It
 * does not keep the process alive.
 *
 * @throws Fault `unavailable` if the kernel has no netlink, or the process may not use it
 */
export function watchAdvertisements(calls: NativeCalls, init: AdvertisementWatchInit): Disposable {
  const { timers, onOption, onError } = init;
  using scope = new DisposableStack();
  const socket = scope.use(openNetlinkSocket(calls, group));
  const read = () => {
    const received = socket.receive();
    // Lost messages need nothing: an entry that is not repeated ends with its lifetime.
    if (received === undefined || received.kind === 'lost') return received !== undefined;
    for (const message of received.messages) {
      const option = decodeAdvertisedOption(message);
      if (option !== undefined) onOption(option);
    }
    return true;
  };
  scope.use(
    readLimited(calls, {
      descriptor: socket.descriptor,
      mostASecond: mostOptionsASecond,
      ...{ timers, read, onError },
    }),
  );
  return scope.move();
}

/**
 * The option of a message; undefined when it is about something else.
 *
 * @throws Fault `data-loss` when it is truncated
 */
export function decodeAdvertisedOption({ type, payload }: NetlinkMessage): AdvertisedOption | undefined {
  if (type !== newOption) return undefined;
  requireBytes(payload, headerBytes, 'an option of an advertisement');
  const view = viewOf(payload);
  if (view.getUint8(0) !== inet6 || view.getUint8(8) !== routerAdvertisement) return undefined;
  const lengthBytes = view.getUint16(2, true);
  requireBytes(payload, headerBytes + lengthBytes, 'an option of an advertisement');
  return {
    linkIndex: view.getInt32(4, true),
    bytes: Uint8Array.from(payload.subarray(headerBytes, headerBytes + lengthBytes)),
  };
}
