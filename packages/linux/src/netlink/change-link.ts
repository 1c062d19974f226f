// Makes, changes and removes network devices. Only a node that owns its network may call these functions.
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { encodeLinkDetails, type LinkDetails } from './link-details.ts';
import { netlinkFlags } from './netlink-message.ts';
import { requestChange } from './request-change.ts';

// <linux/rtnetlink.h>, <linux/if.h>, <linux/if_link.h>, <linux/veth.h>
const newLink = 16;
const deleteLink = 17;
const isUp = 1;
const isMulticast = 0x1000;
const attribute = { address: 1, name: 3, mtu: 4, link: 5, master: 10, info: 18, alias: 20 } as const;
const info = { kind: 1, data: 2 } as const;
const vethPeer = 1;

/** A virtual device that is to be made. */
export interface LinkCreation {
  readonly name: string;
  /** Such as `vlan`, as the kernel spells it. */
  readonly kind: string;
  /** Empty: the kernel chooses. */
  readonly hardwareAddress: string;
  /** The device that carries it; 0 for none. */
  readonly parentIndex: number;
  /** The name of the other end of a pair; empty for other kinds. */
  readonly peerName: string;
  readonly details: LinkDetails;
}

/** What is to change about a device; what is undefined stays. */
export interface LinkChange {
  readonly up?: boolean;
  /** In bytes. */
  readonly mtu?: number;
  readonly hardwareAddress?: string;
  readonly multicast?: boolean;
  /** The bond, bridge or VRF that it joins; 0 to leave. */
  readonly masterIndex?: number;
  /** Empty removes it. */
  readonly alias?: string;
  /** Options of a device of this kind. */
  readonly options?: { readonly kind: string; readonly details: LinkDetails };
}

/**
 * Makes a device, which is down.
 *
 * @throws Fault `unavailable` when the kernel refuses: with `EEXIST` when the name is taken, with `ENOTSUP` for a kind that it does not
 *   have
 */
export function createLink(calls: NativeCalls, creation: LinkCreation): void {
  const flags = netlinkFlags.create | netlinkFlags.exclusive;
  requestChange(calls, { type: newLink, flags, payload: encodeLinkCreation(creation), allowed: '' });
}

/**
 * Removes a device. One that is not there is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses, as it does for hardware
 */
export function removeLink(calls: NativeCalls, linkIndex: number): void {
  requestChange(calls, { type: deleteLink, payload: headerOf(linkIndex, 0, 0), allowed: 'ENODEV' });
}

/**
 * Changes a device. Of several changes in one call, some may be made when the kernel refuses another one.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function changeLink(calls: NativeCalls, linkIndex: number, change: LinkChange): void {
  requestChange(calls, { type: newLink, payload: encodeLinkChange(linkIndex, change), allowed: '' });
}

/**
 * Sets a network device up. One that is up already is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function setLinkUp(calls: NativeCalls, linkIndex: number): void {
  changeLink(calls, linkIndex, { up: true });
}

/** The payload of the message that makes a device. */
export function encodeLinkCreation(creation: LinkCreation): Buffer {
  const { name, kind, hardwareAddress, parentIndex, peerName, details } = creation;
  const peer =
    peerName === ''
      ? Buffer.alloc(0)
      : encodeAttribute(
          vethPeer,
          Buffer.concat([headerOf(0, 0, 0), encodeAttribute(attribute.name, text(peerName))]),
        );
  return Buffer.concat([
    headerOf(0, 0, 0),
    encodeAttribute(attribute.name, text(name)),
    ...(hardwareAddress === '' ? [] : [encodeAttribute(attribute.address, macBytes(hardwareAddress))]),
    ...(parentIndex === 0 ? [] : [encodeAttribute(attribute.link, word(parentIndex))]),
    encodeInfo(kind, Buffer.concat([encodeLinkDetails(details), peer])),
  ]);
}

/** The payload of the message that changes a device. */
export function encodeLinkChange(linkIndex: number, change: LinkChange): Buffer {
  const { up, mtu, hardwareAddress, multicast, masterIndex, alias, options } = change;
  const flag = (value: boolean | undefined, bit: number) => (value === true ? bit : 0);
  const mask = (value: boolean | undefined, bit: number) => (value === undefined ? 0 : bit);
  return Buffer.concat([
    headerOf(
      linkIndex,
      flag(up, isUp) | flag(multicast, isMulticast),
      mask(up, isUp) | mask(multicast, isMulticast),
    ),
    ...(mtu === undefined ? [] : [encodeAttribute(attribute.mtu, word(mtu))]),
    ...(hardwareAddress === undefined ? [] : [encodeAttribute(attribute.address, macBytes(hardwareAddress))]),
    ...(masterIndex === undefined ? [] : [encodeAttribute(attribute.master, word(masterIndex))]),
    ...(alias === undefined ? [] : [encodeAttribute(attribute.alias, aliasBytes(alias))]),
    ...(options === undefined ? [] : [encodeInfo(options.kind, encodeLinkDetails(options.details))]),
  ]);
}

function encodeInfo(kind: string, data: Buffer): Buffer {
  const nested = data.length === 0 ? [] : [encodeAttribute(info.data, data)];
  return encodeAttribute(attribute.info, Buffer.concat([encodeAttribute(info.kind, text(kind)), ...nested]));
}

function headerOf(linkIndex: number, flags: number, changeMask: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(linkIndex, 4);
  header.writeUInt32LE(flags, 8);
  header.writeUInt32LE(changeMask, 12);
  return header;
}

const text = (value: string) => Buffer.from(`${value}\0`);
/** Without the zero byte at the end, which the kernel would count. An attribute needs one byte, so a zero byte stands for a link without an alias. */
const aliasBytes = (alias: string) => Buffer.from(alias === '' ? '\0' : alias);
const macBytes = (value: string) => Buffer.from(value.replaceAll(/[:-]/g, ''), 'hex');

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
