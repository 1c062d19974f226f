import { Fault } from '@nodewright/fault';
import { errorNumberOf, type NetlinkMessage, netlinkFlags, netlinkTypes } from './netlink-message.ts';
import type { NetlinkSocket } from './netlink-socket.ts';
import { explanationOf } from './refusal.ts';

/** How the answers to one request ended. */
export interface AnswerEnd {
  /** False when the entries changed during a dump. */
  readonly isWhole: boolean;
  /** The number of the errno; 0 for success. */
  readonly errno: number;
  /** What the kernel says about it; empty unless it was asked to. */
  readonly explanation: string;
}

const errnoBytes = 4;

/**
 * Reads the answers to one request, up to the acknowledgement or the end of a dump. The kernel answers within the call that sends the
 * request, so nothing is waited for.
 *
 * @param take gets views of memory that the next message overwrites
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer
 */
export function collectAnswers(
  socket: NetlinkSocket,
  sequence: number,
  take: (message: NetlinkMessage) => void,
): AnswerEnd {
  let isWhole = true;
  for (;;) {
    const received = socket.receive();
    if (received === undefined) throw new Fault('unavailable', 'netlink: the kernel does not answer');
    if (received.kind === 'lost') throw new Fault('unavailable', 'netlink: a part of the answer was lost');
    for (const message of received.messages) {
      if (message.sequence !== sequence) continue;
      if ((message.flags & netlinkFlags.interrupted) !== 0) isWhole = false;
      const { type, payload } = message;
      // A dump that fails in its middle ends with the errno in place of 0. Source: Linux, net/netlink/af_netlink.c, netlink_dump_done().
      if (type === netlinkTypes.done)
        return { isWhole, errno: payload.length < errnoBytes ? 0 : errorNumberOf(message), explanation: '' };
      if (type === netlinkTypes.error)
        return { isWhole, errno: errorNumberOf(message), explanation: explanationOf(message) };
      take(message);
    }
  }
}
