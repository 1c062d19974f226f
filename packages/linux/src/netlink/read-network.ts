// Reads the complete network configuration of this process's namespace. Each call opens one socket and takes
// a fraction of a millisecond for some hundred entries. The kernel answers within the call, so it is
// synchronous.
import type { NativeCalls } from '../native-calls.ts';
import { decodeAddress, type KernelAddress } from './address-message.ts';
import { encodeAttribute } from './attributes.ts';
import { collectAnswers } from './collect-answers.ts';
import { decodeLink, type KernelLink } from './link-message.ts';
import { encodeMessage, netlinkFlags } from './netlink-message.ts';
import { openNetlinkSocket } from './netlink-socket.ts';
import { refusalOf } from './refusal.ts';
import { decodeRoute, type KernelRoute } from './route-message.ts';
import { decodeRule, type KernelRule } from './rule-message.ts';

export const addressFamilies = { inet4: 2, inet6: 10 } as const;

const any = 0;
const requests = { link: 18, address: 22, route: 26, rule: 34 } as const;
const answers = { link: 16, address: 20, route: 24, rule: 32 } as const;
const headerBytes = { link: 16, address: 8, route: 12, rule: 12 } as const;
const extendedMask = 29;
const withoutStatistics = 8;
/** The kernel reports when something changed during a dump; the dump is repeated this many times at most. */
const maxAttempts = 4;
/** EOPNOTSUPP, EPFNOSUPPORT and EAFNOSUPPORT: the kernel does not have the address family. Node.js has other names for the first two. */
const missingFamily = new Set([95, 96, 97]);

type Subject = keyof typeof requests;

/**
 * Each of these functions reads all entries. While they change without a pause, the result may mix two
 * moments; a watcher receives the change and reads again.
 *
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer.
 */
export function readLinks(calls: NativeCalls): KernelLink[] {
  const mask = Buffer.alloc(4);
  mask.writeUInt32LE(withoutStatistics);
  return dump(calls, 'link', any, decodeLink, encodeAttribute(extendedMask, mask));
}

export function readAddresses(calls: NativeCalls): KernelAddress[] {
  return dump(calls, 'address', any, decodeAddress);
}

/** Routes of all tables, including the kernel's own. */
export function readRoutes(calls: NativeCalls): KernelRoute[] {
  return eachFamily((family) => dump(calls, 'route', family, decodeRoute));
}

export function readRules(calls: NativeCalls): KernelRule[] {
  return eachFamily((family) => dump(calls, 'rule', family, decodeRule));
}

/**
 * For "any family" the kernel also dumps multicast routes; for a family that it lacks it may dump all others.
 */
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
    const { isWhole, errno } = collectAnswers(socket, sequence, ({ type, payload: entry }) => {
      if (type === answers[subject]) entries.push(decode(entry));
    });
    requireSuccess(errno);
    if (isWhole || sequence === maxAttempts) return entries;
  }
}

/** @throws Fault `unavailable` for a refusal that is not about a family which the kernel lacks */
function requireSuccess(errno: number): void {
  if (errno === 0 || missingFamily.has(errno)) return;
  throw refusalOf(errno);
}
