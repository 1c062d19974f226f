// Why the kernel refuses a request: the errno, and what it says besides. Numbers are those of <linux/netlink.h>.
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { attributesOf, attributeText } from './attributes.ts';
import { aligned, type NetlinkMessage, netlinkHeaderBytes, viewOf } from './netlink-message.ts';

const netlinkLevel = 270;
/** Errors come without the request, and with what the kernel says about them. */
const options = { shortErrors: 10, explanations: 11 } as const;
const flags = { isShort: 0x100, hasAttributes: 0x200 } as const;
const errnoBytes = 4;
const messageAttribute = 1;
const longest = 200;

/** Asks the kernel for explanations of errors on a socket. An old one has none. */
export function askForExplanations(calls: NativeCalls, descriptor: number): void {
  const on = Buffer.alloc(4);
  on.writeInt32LE(1);
  for (const option of Object.values(options))
    try {
      calls.setSocketOption(descriptor, netlinkLevel, option, on);
    } catch {
      return;
    }
}

/**
 * What the kernel says about an error, such as `Nexthop has invalid gateway`; empty when it says nothing.
 *
 * @throws Fault `data-loss` for an invalid attribute
 */
export function explanationOf(message: NetlinkMessage): string {
  const { payload } = message;
  if ((message.flags & flags.hasAttributes) === 0 || payload.length < errnoBytes + netlinkHeaderBytes)
    return '';
  const isShort = (message.flags & flags.isShort) !== 0;
  const requestBytes = isShort ? netlinkHeaderBytes : aligned(viewOf(payload).getUint32(errnoBytes, true));
  const text = attributeText(attributesOf(payload.subarray(errnoBytes + requestBytes)), messageAttribute);
  return text.replaceAll(/\p{C}/gu, '?').slice(0, longest);
}

/** @param errno its number, above 0 */
export function refusalOf(errno: number, explanation = ''): Fault {
  const more = explanation === '' ? '' : ` (${explanation})`;
  return new Fault('unavailable', `netlink: the kernel answers with ${getSystemErrorName(-errno)}${more}`);
}
