// What the kernel knows of the network of this process, asked for as a whole. Each call takes one socket and, for some
// hundred entries, a fraction of a millisecond: the kernel answers at once, so nothing has to be waited for.
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { decodeAddress, type KernelAddress } from './address-message.ts';
import { encodeAttribute } from './attributes.ts';
import { decodeLink, type KernelLink } from './link-message.ts';
import {
  encodeMessage,
  errorNumberOf,
  type NetlinkMessage,
  netlinkFlags,
  netlinkTypes,
} from './netlink-message.ts';
import { type NetlinkSocket, openNetlinkSocket } from './netlink-socket.ts';
import { decodeRoute, type KernelRoute } from './route-message.ts';
import { decodeRule, type KernelRule } from './rule-message.ts';

export const addressFamilies = { inet4: 2, inet6: 10 } as const;

const any = 0;
const requests = { link: 18, address: 22, route: 26, rule: 34 } as const;
const answers = { link: 16, address: 20, route: 24, rule: 32 } as const;
const headerBytes = { link: 16, address: 8, route: 12, rule: 12 } as const;
const extendedMask = 29;
const withoutStatistics = 8;
/** The kernel says when something changed while it told; it is asked again so many times. */
const maxAttempts = 4;
/** Errno of a family that the kernel does not have. */
const missingFamily = new Set(['EAFNOSUPPORT', 'EOPNOTSUPP', 'EPFNOSUPPORT']);

type Subject = keyof typeof requests;

/**
 * Each of these reads all there is. While it changes without a pause the result may mix two moments; who watches is
 * told of the change and reads again.
 *
 * @throws Fault `unavailable` where the kernel does not answer, `data-loss` for an answer that makes no sense.
 */
export function readLinks(calls: NativeCalls): KernelLink[] {
  const mask = Buffer.alloc(4);
  mask.writeUInt32LE(withoutStatistics);
  return dump(calls, 'link', any, decodeLink, encodeAttribute(extendedMask, mask));
}

export function readAddresses(calls: NativeCalls): KernelAddress[] {
  return dump(calls, 'address', any, decodeAddress);
}

/** Routes of all tables, the kernel's own among them. */
export function readRoutes(calls: NativeCalls): KernelRoute[] {
  return eachFamily((family) => dump(calls, 'route', family, decodeRoute));
}

export function readRules(calls: NativeCalls): KernelRule[] {
  return eachFamily((family) => dump(calls, 'rule', family, decodeRule));
}

/** Asked for any family, the kernel also tells multicast routes; asked for one that it lacks, perhaps all others. */
function eachFamily<T extends { readonly family: number }>(read: (family: number) => T[]): T[] {
  return Object.values(addressFamilies).flatMap((wanted) =>
    read(wanted).filter(({ family }) => family === wanted),
  );
}

function dump<T>(
  calls: NativeCalls,
  subject: Subject,
  family: number,
  decode: (payload: Uint8Array) => T,
  attributes: Uint8Array = new Uint8Array(),
): T[] {
  using socket = openNetlinkSocket(calls, 0);
  const header = Buffer.alloc(headerBytes[subject]);
  header.writeUInt8(family);
  const payload = Buffer.concat([header, attributes]);
  for (let sequence = 1; ; sequence += 1) {
    const flags = netlinkFlags.request | netlinkFlags.dump;
    socket.send(encodeMessage({ type: requests[subject], flags, sequence, payload }));
    const entries: T[] = [];
    const isWhole = collect(socket, sequence, ({ type, payload: entry }) => {
      if (type === answers[subject]) entries.push(decode(entry));
    });
    if (isWhole || sequence === maxAttempts) return entries;
  }
}

/** Takes the answers to one request. False when what they tell was changed meanwhile. */
function collect(socket: NetlinkSocket, sequence: number, take: (message: NetlinkMessage) => void): boolean {
  let isWhole = true;
  for (;;) {
    const received = socket.receive();
    if (received === undefined) throw new Fault('unavailable', 'netlink: the kernel does not answer');
    if (received.kind === 'lost') throw new Fault('unavailable', 'netlink: a part of the answer is lost');
    for (const message of received.messages) {
      if (message.sequence !== sequence) continue;
      if ((message.flags & netlinkFlags.interrupted) !== 0) isWhole = false;
      if (message.type === netlinkTypes.done) return isWhole;
      if (message.type === netlinkTypes.error) return refused(message);
      take(message);
    }
  }
}

function refused(message: NetlinkMessage): boolean {
  const code = getSystemErrorName(-errorNumberOf(message));
  if (missingFamily.has(code)) return true;
  throw new Fault('unavailable', `netlink: the kernel answers with ${code}`);
}
