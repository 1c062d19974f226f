import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
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

/**
 * Options that are read in a second. Routers send a few each minute. In a flood, reading pauses for the rest of the second, and what the
 * buffer of the socket cannot keep is lost: a router repeats its options.
 */
export const mostOptionsASecond = 64;
const windowMs = 1000;

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
  let readable: Disposable | undefined;
  let pause: Disposable | undefined;
  let isOpen = true;
  let windowStartMs = timers.monotonicMs();
  let read = 0;
  const stop = () => {
    readable?.[Symbol.dispose]();
    readable = undefined;
  };
  scope.defer(() => {
    isOpen = false;
    pause?.[Symbol.dispose]();
    stop();
  });

  const drain = () => {
    const now = timers.monotonicMs();
    if (now - windowStartMs >= windowMs) {
      windowStartMs = now;
      read = 0;
    }
    while (isOpen) {
      if (read >= mostOptionsASecond) {
        stop();
        pause = timers.after(Math.max(0, windowStartMs + windowMs - now), start);
        return;
      }
      const received = socket.receive();
      if (received === undefined) return;
      read += 1;
      // Lost messages need nothing: an entry that is not repeated ends with its lifetime.
      if (received.kind === 'lost') continue;
      for (const message of received.messages) {
        const option = decodeAdvertisedOption(message);
        if (option !== undefined) onOption(option);
      }
    }
  };

  const start = () => {
    readable = calls.watchReadable(socket.descriptor, () => {
      try {
        drain();
      } catch (error) {
        stop();
        onError(faultFrom(error));
      }
    });
  };
  start();
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
