// Settings of the driver of a network device, by the family `ethtool` of generic netlink.

import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import {
  decodeChannels,
  decodeFeatures,
  decodeLinkModes,
  decodeRings,
  decodeWakeOnLan,
  encodeEthtoolHeader,
  encodeFeatureChange,
  ethtoolCommands,
  ethtoolFamily,
  type LinkChannels,
  type LinkFeatures,
  type LinkModes,
  type LinkRings,
} from './ethtool-message.ts';
import { findGenericFamily, type GenericFamily, requestGeneric } from './generic-netlink.ts';

/** What a driver reports besides features. What it does not support is undefined. */
export interface EthernetSettings {
  readonly modes: LinkModes | undefined;
  readonly rings: LinkRings | undefined;
  readonly channels: LinkChannels | undefined;
  /** The sum of the `WAKE_*` bits that are set. */
  readonly wakeOnLan: number | undefined;
}

/**
 * The features of a device; undefined when the kernel refuses the question, as for one that was removed, and on a kernel without the family.
 *
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer
 */
export function readLinkFeatures(calls: NativeCalls, linkIndex: number): LinkFeatures | undefined {
  const family = findGenericFamily(calls, ethtoolFamily);
  return family && ask(calls, family, linkIndex, ethtoolCommands.getFeatures, decodeFeatures);
}

/**
 * Asks a device to switch features on or off, by their names. It may lack what it needs for a feature, which is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses: with `EINVAL` when it has no such feature, or one that nobody can change
 */
export function changeLinkFeatures(
  calls: NativeCalls,
  linkIndex: number,
  wanted: Readonly<Record<string, boolean>>,
): void {
  const family = findGenericFamily(calls, ethtoolFamily);
  if (family === undefined) throw new Fault('unavailable', 'the kernel has no family ethtool of netlink');
  const payload = encodeFeatureChange(linkIndex, wanted);
  requestGeneric(calls, family, { command: ethtoolCommands.setFeatures, payload });
}

/**
 * What the driver of a device reports; undefined on a kernel without the family.
 *
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer
 */
export function readEthernetSettings(calls: NativeCalls, linkIndex: number): EthernetSettings | undefined {
  const family = findGenericFamily(calls, ethtoolFamily);
  if (family === undefined) return undefined;
  const { getLinkModes, getRings, getChannels, getWakeOnLan } = ethtoolCommands;
  return {
    modes: ask(calls, family, linkIndex, getLinkModes, decodeLinkModes),
    rings: ask(calls, family, linkIndex, getRings, decodeRings),
    channels: ask(calls, family, linkIndex, getChannels, decodeChannels),
    wakeOnLan: ask(calls, family, linkIndex, getWakeOnLan, decodeWakeOnLan),
  };
}

function ask<T>(
  calls: NativeCalls,
  family: GenericFamily,
  linkIndex: number,
  command: number,
  decode: (payload: Uint8Array) => T,
): T | undefined {
  const payload = encodeEthtoolHeader(linkIndex);
  // The driver does not support the question, the device was removed, its firmware does not answer, or only the administrator may ask: drivers
  // have many errnos, and one device must not hide the others.
  const [answer] = requestGeneric(calls, family, { command, payload, allowed: 'any' });
  return answer && decode(answer);
}
