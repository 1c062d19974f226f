// Attributes of netlink messages: type, length and value, where a value may consist of attributes again.
import { Fault } from '@nodewright/fault';
import { ipAddressText } from '../ip-address-text.ts';
import { aligned, requireBytes, viewOf } from './netlink-message.ts';

/** Attributes by type; of several with the same type the last one counts. */
export type Attributes = ReadonlyMap<number, Uint8Array>;

const headerBytes = 4;
/** The mask without the flags for nested attributes and for network byte order. */
const typeMask = 0x3fff;

/**
 * All attributes in their order.
 *
 * @throws Fault `data-loss` for an invalid length.
 */
export function attributeList(bytes: Uint8Array): (readonly [type: number, value: Uint8Array])[] {
  const view = viewOf(bytes);
  const list: (readonly [number, Uint8Array])[] = [];
  for (let at = 0; at < bytes.length; ) {
    requireBytes(bytes.subarray(at), headerBytes, 'an attribute');
    const length = view.getUint16(at, true);
    if (length < headerBytes || length > bytes.length - at) {
      throw new Fault(
        'data-loss',
        `netlink: an attribute of ${length} bytes where ${bytes.length - at} remain`,
      );
    }
    list.push([view.getUint16(at + 2, true) & typeMask, bytes.subarray(at + headerBytes, at + length)]);
    at += aligned(length);
  }
  return list;
}

/** @throws Fault `data-loss` as `attributeList` */
export function attributesOf(bytes: Uint8Array): Attributes {
  return new Map(attributeList(bytes));
}

/**
 * The attributes nested in an attribute; empty when it is missing.
 *
 * @throws Fault `data-loss`
 */
export function nestedAttributes(attributes: Attributes, type: number): Attributes {
  return attributesOf(attributes.get(type) ?? new Uint8Array());
}

/**
 * A number of 1, 2 or 4 bytes.
 *
 * @throws Fault `data-loss` for another length
 */
export function attributeNumber(attributes: Attributes, type: number): number | undefined {
  const value = attributes.get(type);
  if (value === undefined) return undefined;
  const view = viewOf(value);
  if (value.length === 1) return view.getUint8(0);
  if (value.length === 2) return view.getUint16(0, true);
  if (value.length === 4) return view.getUint32(0, true);
  throw new Fault('data-loss', `netlink: attribute ${type} of ${value.length} bytes is not a number`);
}

/** A text without its terminating NUL byte; empty when it is missing. */
export function attributeText(attributes: Attributes, type: number): string {
  const value = attributes.get(type) ?? new Uint8Array();
  const end = value.indexOf(0);
  return Buffer.from(end < 0 ? value : value.subarray(0, end)).toString();
}

/** An IP address of 4 or 16 bytes; empty when it is missing or has another length. */
export function attributeIp(attributes: Attributes, type: number): string {
  return ipOf(attributes.get(type));
}

export function ipOf(bytes: Uint8Array | undefined): string {
  return bytes?.length === 4 || bytes?.length === 16 ? ipAddressText(bytes) : '';
}

/** A hardware address such as `52:54:00:aa:bb:01`; empty when it is missing. */
export function attributeMac(attributes: Attributes, type: number): string {
  return macText(attributes.get(type) ?? new Uint8Array());
}

export function macText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** One attribute, padded to the start of the next. */
export function encodeAttribute(type: number, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(aligned(headerBytes + value.length));
  bytes.writeUInt16LE(headerBytes + value.length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, headerBytes);
  return bytes;
}
