import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { encodeMessage, errorNumberOf, netlinkFlags, netlinkTypes } from './netlink-message.ts';
import { openNetlinkSocket } from './netlink-socket.ts';
import { askForExplanations, explanationOf, refusalOf } from './refusal.ts';

export interface ChangeRequest {
  /** `RTM_NEW*` or `RTM_DEL*` of <linux/rtnetlink.h>. */
  readonly type: number;
  /** Flags in addition to those of every request. */
  readonly flags?: number;
  readonly payload: Uint8Array;
  /** The name of the errno that counts as success. */
  readonly allowed: string;
}

/**
 * Changes the network, and returns when the kernel has done it.
 *
 * @throws Fault `unavailable` when the kernel refuses, with the name of the errno and what the kernel says about it
 */
export function requestChange(
  calls: NativeCalls,
  { type, flags = 0, payload, allowed }: ChangeRequest,
): void {
  using socket = openNetlinkSocket(calls, 0);
  askForExplanations(calls, socket.descriptor);
  const allFlags = netlinkFlags.request | netlinkFlags.acknowledge | flags;
  socket.send(encodeMessage({ type, flags: allFlags, sequence: 1, payload }));
  const received = socket.receive();
  const answer = received?.kind === 'messages' ? received.messages[0] : undefined;
  if (answer?.type !== netlinkTypes.error)
    throw new Fault('unavailable', 'netlink: the kernel does not answer');
  const errno = errorNumberOf(answer);
  if (errno === 0) return;
  if (getSystemErrorName(-errno) !== allowed) throw refusalOf(errno, explanationOf(answer));
}
