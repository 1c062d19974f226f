// Reads and changes WireGuard devices through the family `wireguard` of generic netlink. Source: Linux, wireguard.h.
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { findGenericFamily, requestGeneric } from './generic-netlink.ts';
import {
  decodeWireguard,
  encodeWireguardChange,
  encodeWireguardQuestion,
  type KernelWireguard,
  type WireguardChange,
} from './wireguard-message.ts';

const familyName = 'wireguard';
const command = { getDevice: 0, setDevice: 1 } as const;
/** The device left, is of another kind, or belongs to a network that this process may not change. */
const unreadable = ['ENODEV', 'ENOTSUP', 'EPERM'];

/**
 * The settings of the WireGuard device of this link, without its secrets; undefined when it cannot be read.
 *
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer
 */
export function readWireguard(calls: NativeCalls, linkIndex: number): KernelWireguard | undefined {
  const family = findGenericFamily(calls, familyName);
  if (family === undefined) return undefined;
  const answers = requestGeneric(calls, family, {
    command: command.getDevice,
    payload: encodeWireguardQuestion(linkIndex),
    isDump: true,
    allowed: unreadable,
  });
  return answers.length === 0 ? undefined : decodeWireguard(answers);
}

/**
 * Changes the WireGuard device of this link. Of several messages, the first ones may have been taken when the kernel refuses one.
 *
 * @throws Fault `unavailable` when the kernel refuses, as it does for a port that is in use, or has no WireGuard; TypeError as
 *   `encodeWireguardChange()`
 */
export function setWireguard(calls: NativeCalls, linkIndex: number, change: WireguardChange): void {
  const payloads = encodeWireguardChange(linkIndex, change);
  const family = findGenericFamily(calls, familyName);
  if (family === undefined) throw new Fault('unavailable', 'netlink: the kernel has no WireGuard');
  for (const payload of payloads) requestGeneric(calls, family, { command: command.setDevice, payload });
}
