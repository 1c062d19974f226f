// What the kernel says about a WireGuard device, and what it is told. Names and numbers are those of <linux/wireguard.h>.
import { isIPv4 } from 'node:net';
import { Fault, type Secret } from '@nodewright/fault';
import { ipAddressBytes } from '../ip-address-text.ts';
import {
  type Attributes,
  attributeList,
  attributeNumber,
  attributesOf,
  encodeAttribute,
  ipOf,
} from './attributes.ts';
import { viewOf } from './netlink-message.ts';
import { isNoKey, keyFromText, keyText, presharedKeyDigest, wireguardKeyBytes } from './wireguard-keys.ts';

/** A WireGuard device without its secrets. */
export interface KernelWireguard {
  /** Empty without a private key. */
  readonly publicKey: string;
  readonly listenPort: number;
  readonly firewallMark: number;
  /** In the order of their public keys. */
  readonly peers: readonly KernelWireguardPeer[];
}

export interface KernelWireguardPeer {
  readonly publicKey: string;
  /** Of its preshared key; empty without one. */
  readonly presharedKeyDigest: string;
  /** Where it was last heard of, such as `192.0.2.1:51820` or `[fe80::1%3]:51820` with the index of a link; empty when that is not known. */
  readonly endpoint: string;
  /** 0: off. */
  readonly keepaliveSeconds: number;
  /** Prefixes such as `10.0.0.0/24`, sorted as texts. */
  readonly allowedIps: readonly string[];
}

/** What changes of a device; what is undefined stays. */
export interface WireguardChange {
  readonly privateKey?: Secret;
  readonly listenPort?: number;
  /** 0 removes it. */
  readonly firewallMark?: number;
  readonly peers?: readonly WireguardPeerChange[];
}

export interface WireguardPeerChange {
  readonly publicKey: string;
  readonly isRemoved?: boolean;
  /** `none` removes it. */
  readonly presharedKey?: Secret | 'none';
  /** An address and a port. */
  readonly endpoint?: string;
  readonly keepaliveSeconds?: number;
  /** They replace those that the peer has. One that another peer has moves to this one. */
  readonly allowedIps?: readonly string[];
}

const device = { index: 1, privateKey: 3, publicKey: 4, listenPort: 6, firewallMark: 7, peers: 8 } as const;
const peer = { publicKey: 1, presharedKey: 2, flags: 3, endpoint: 4, keepalive: 5, allowedIps: 9 } as const;
const peerFlag = { removeMe: 1, replaceAllowedIps: 2 } as const;
const allowedIp = { family: 1, address: 2, prefixLength: 3 } as const;
const family = { inet4: 2, inet6: 10 } as const;
/** The kernel takes lists and their entries only with this flag. Source: Linux, include/net/netlink.h, nla_parse_nested(). */
const nested = 0x8000;

/** The payload that asks for a device. */
export const encodeWireguardQuestion = (linkIndex: number) => encodeNumber(device.index, linkIndex, 4);

/**
 * Decodes the answers about one device. A peer that does not fit goes on in the next answer.
 *
 * @throws Fault `data-loss` for an invalid attribute
 */
export function decodeWireguard(answers: readonly Uint8Array[]): KernelWireguard {
  const [first = new Map()] = answers.map(attributesOf);
  const peers = new Map<string, KernelWireguardPeer>();
  for (const answer of answers)
    for (const [, bytes] of listIn(attributesOf(answer), device.peers)) {
      const found = attributesOf(bytes);
      const { publicKey, ...rest } = decodePeer(found);
      const before = peers.get(publicKey);
      const allowedIps = [...(before?.allowedIps ?? []), ...rest.allowedIps];
      peers.set(publicKey, { ...(before ?? { publicKey, ...rest }), allowedIps });
    }
  const sorted = [...peers.values()].map((each) => ({ ...each, allowedIps: each.allowedIps.toSorted() }));
  return {
    publicKey: ownKeyOf(first),
    listenPort: attributeNumber(first, device.listenPort) ?? 0,
    firewallMark: attributeNumber(first, device.firewallMark) ?? 0,
    peers: sorted.sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1)),
  };
}

function decodePeer(attributes: Attributes): KernelWireguardPeer {
  const preshared = attributes.get(peer.presharedKey);
  return {
    publicKey: keyIn(attributes, peer.publicKey),
    presharedKeyDigest: preshared === undefined ? '' : presharedKeyDigest(preshared),
    endpoint: endpointOf(attributes.get(peer.endpoint)),
    keepaliveSeconds: attributeNumber(attributes, peer.keepalive) ?? 0,
    allowedIps: listIn(attributes, peer.allowedIps).map(([, bytes]) => {
      const found = attributesOf(bytes);
      return `${ipOf(found.get(allowedIp.address))}/${attributeNumber(found, allowedIp.prefixLength) ?? 0}`;
    }),
  };
}

const listIn = (attributes: Attributes, type: number) =>
  attributeList(attributes.get(type) ?? new Uint8Array());

/** Zeros stand for a device without a key, and are a key of a peer. Empty when it is missing. */
function ownKeyOf(attributes: Attributes): string {
  const bytes = attributes.get(device.publicKey);
  return bytes !== undefined && isNoKey(bytes) ? '' : keyIn(attributes, device.publicKey);
}

/** Empty when it is missing. */
function keyIn(attributes: Attributes, type: number): string {
  const bytes = attributes.get(type);
  if (bytes === undefined) return '';
  if (bytes.length !== wireguardKeyBytes)
    throw new Fault('data-loss', `netlink: a key of ${bytes.length} bytes`);
  return keyText(bytes);
}

/** A `struct sockaddr_in` or a `struct sockaddr_in6`. */
const socketAddressBytes = { inet4: 16, inet6: 28 } as const;

function endpointOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.length < socketAddressBytes.inet4) return '';
  const view = viewOf(bytes);
  const port = view.getUint16(2);
  if (view.getUint16(0, true) === family.inet4) return `${ipOf(bytes.subarray(4, 8))}:${port}`;
  if (bytes.length < socketAddressBytes.inet6) return '';
  const scope = view.getUint32(24, true);
  return `[${ipOf(bytes.subarray(8, 24))}${scope === 0 ? '' : `%${scope}`}]:${port}`;
}

/** A peer with more of them continues in the next fragment. */
const maxIpsOfFragment = 256;
/** Of one message. The length of an attribute has 16 bits, and the kernel takes no message that is larger than its send buffer. */
const maxPeersBytes = 32_768;

/**
 * The payloads that change a device, to be sent one after the other. They are several when not all peers fit into one message.
 *
 * @throws TypeError for a text that is not a key, an address or a prefix where it should be one
 */
export function encodeWireguardChange(linkIndex: number, change: WireguardChange): Buffer[] {
  const { privateKey, listenPort, firewallMark, peers = [] } = change;
  const index = encodeNumber(device.index, linkIndex, 4);
  const own = Buffer.concat([
    ...(privateKey === undefined ? [] : [encodeAttribute(device.privateKey, keyOf(privateKey.reveal()))]),
    ...(listenPort === undefined ? [] : [encodeNumber(device.listenPort, listenPort, 2)]),
    ...(firewallMark === undefined ? [] : [encodeNumber(device.firewallMark, firewallMark, 4)]),
  ]);
  const [first = [], ...others] = inMessages(peers.flatMap(peerFragments));
  return [
    Buffer.concat([index, own, ...encodePeers(first)]),
    ...others.map((list) => Buffer.concat([index, ...encodePeers(list)])),
  ];
}

function encodePeers(list: readonly Buffer[]): Buffer[] {
  return list.length === 0 ? [] : [encodeAttribute(device.peers | nested, Buffer.concat(list))];
}

function inMessages(fragments: readonly Buffer[]): Buffer[][] {
  const messages: Buffer[][] = [];
  let roomBytes = 0;
  for (const fragment of fragments) {
    if (fragment.length > roomBytes) {
      messages.push([]);
      roomBytes = maxPeersBytes;
    }
    messages.at(-1)?.push(fragment);
    roomBytes -= fragment.length;
  }
  return messages;
}

/** Only the first one of a peer replaces its allowed IPs: the others add to them. */
function peerFragments(change: WireguardPeerChange): Buffer[] {
  const { publicKey, isRemoved, presharedKey, endpoint, keepaliveSeconds, allowedIps } = change;
  const key = encodeAttribute(peer.publicKey, keyOf(publicKey));
  const of = (list: readonly Buffer[]) => encodeAttribute(nested, Buffer.concat([key, ...list]));
  if (isRemoved) return [of([encodeNumber(peer.flags, peerFlag.removeMe, 4)])];
  const [first = [], ...others] = chunks(allowedIps ?? []);
  return [
    of([
      ...(allowedIps === undefined ? [] : [encodeNumber(peer.flags, peerFlag.replaceAllowedIps, 4)]),
      ...(presharedKey === undefined ? [] : [encodeAttribute(peer.presharedKey, presharedOf(presharedKey))]),
      ...(endpoint === undefined ? [] : [encodeAttribute(peer.endpoint, socketAddress(endpoint))]),
      ...(keepaliveSeconds === undefined ? [] : [encodeNumber(peer.keepalive, keepaliveSeconds, 2)]),
      ...(first.length === 0 ? [] : [encodeAllowedIps(first)]),
    ]),
    ...others.map((list) => of([encodeAllowedIps(list)])),
  ];
}

function chunks(list: readonly string[]): string[][] {
  const count = Math.ceil(list.length / maxIpsOfFragment);
  return Array.from({ length: count }, (_, at) =>
    list.slice(at * maxIpsOfFragment, (at + 1) * maxIpsOfFragment),
  );
}

function encodeAllowedIps(prefixes: readonly string[]): Buffer {
  const list = prefixes.map((prefix) => {
    const [address = '', length = ''] = prefix.split('/');
    const bytes = ipAddressBytes(address);
    const entry = [
      encodeNumber(allowedIp.family, bytes.length === 4 ? family.inet4 : family.inet6, 2),
      encodeAttribute(allowedIp.address, bytes),
      encodeNumber(allowedIp.prefixLength, Number(length), 1),
    ];
    return encodeAttribute(nested, Buffer.concat(entry));
  });
  return encodeAttribute(peer.allowedIps | nested, Buffer.concat(list));
}

function presharedOf(key: Secret | 'none'): Buffer {
  return key === 'none' ? Buffer.alloc(wireguardKeyBytes) : keyOf(key.reveal());
}

/** Without the text, which may be a secret. */
function keyOf(text: string): Buffer {
  const bytes = keyFromText(text);
  if (bytes === undefined) throw new TypeError('a key of WireGuard is not base64 of 32 bytes');
  return bytes;
}

function socketAddress(endpoint: string): Buffer {
  const [, host = '', scope = '0', port = ''] = /^\[?([^\]%]*)(?:%(\d+))?\]?:(\d+)$/.exec(endpoint) ?? [];
  const address = ipAddressBytes(host);
  const isInet4 = isIPv4(host);
  const bytes = Buffer.alloc(isInet4 ? socketAddressBytes.inet4 : socketAddressBytes.inet6);
  bytes.writeUInt16LE(isInet4 ? family.inet4 : family.inet6, 0);
  bytes.writeUInt16BE(Number(port), 2);
  bytes.set(address, isInet4 ? 4 : 8);
  if (!isInet4) bytes.writeUInt32LE(Number(scope), 24);
  return bytes;
}

function encodeNumber(type: number, value: number, lengthBytes: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUIntLE(value, 0, lengthBytes);
  return encodeAttribute(type, bytes);
}
