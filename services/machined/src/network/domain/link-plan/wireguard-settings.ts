// What a specification wants of a WireGuard device, in the form in which the kernel reports it.
import { Secret } from '@nodewright/fault';
import {
  ipAddressBytes,
  ipAddressText,
  keyFromText,
  keyText,
  presharedKeyDigest,
  wireguardPublicKey,
} from '@nodewright/linux/network';
import { parseHostPort, wireguardLimits } from '@nodewright/machine-config';
import type { WireguardPeer, WireguardSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../../base/domain/is-ip-address.ts';
import { addressOf, networkOf } from '../../../base/domain/prefix.ts';
import { findLink, type NamedLink } from '../find-link.ts';
import { withinLimit } from '../within-limit.ts';
import { shownName } from './shown-name.ts';

/** What has no effect is left out, and said in `problems`, without keys that are secret. */
export interface WireguardSettings {
  /** Undefined when the device keeps the one that it has. */
  readonly privateKey: Secret | undefined;
  /** Of the private key. */
  readonly publicKey: string | undefined;
  /** 0: any port. */
  readonly listenPort: number;
  readonly firewallMark: number | undefined;
  readonly peers: readonly PeerSettings[];
  readonly problems: readonly string[];
}

export interface PeerSettings {
  readonly publicKey: string;
  readonly presharedKey: Secret | undefined;
  /** Empty without a preshared key. */
  readonly presharedKeyDigest: string;
  /** As it is written; empty without one. */
  readonly endpointText: string;
  /** Address and port; undefined while the address of its name is not known. */
  readonly endpoint: string | undefined;
  readonly keepaliveSeconds: number;
  /** Sorted, without host bits, each at one peer only. */
  readonly allowedIps: readonly string[];
}

export interface EndpointFacts {
  readonly links: readonly NamedLink[];
  /** Addresses of the hosts of endpoints that are names. */
  readonly endpointAddresses: ReadonlyMap<string, string>;
}

const maxPort = 65_535;
const maxMark = 0xffff_ffff;

/** @param ownPublicKey that of the device while the specification names no private key */
export function wireguardSettings(
  spec: WireguardSpec,
  ownPublicKey: string,
  facts: EndpointFacts,
): WireguardSettings {
  const problems: string[] = [];
  const key = spec.privateKey === '' ? undefined : new Secret(spec.privateKey);
  const publicKey = key && wireguardPublicKey(key);
  if (key !== undefined && publicKey === undefined)
    problems.push('its private key is not base64 of 32 bytes, or all of them are 0');
  const isPort = spec.listenPort >= 0 && spec.listenPort <= maxPort;
  if (!isPort) problems.push(`there is no port ${spec.listenPort}`);
  const isMark = spec.firewallMark >= 0 && spec.firewallMark <= maxMark;
  if (!isMark) problems.push(`there is no firewall mark ${spec.firewallMark}`);
  const limit = { limit: wireguardLimits.peers, what: 'peers' };
  const peers = peersByKey(withinLimit(spec.peers, limit, problems), problems);
  // The kernel has no peer with the key of the device itself, which lets several nodes share one list of peers.
  peers.delete(publicKey ?? ownPublicKey);
  return {
    privateKey: publicKey === undefined ? undefined : key,
    ...{ publicKey, listenPort: isPort ? spec.listenPort : 0 },
    firewallMark: isMark ? spec.firewallMark : undefined,
    peers: peerSettings(peers, facts, problems),
    problems,
  };
}

/** The peers by their public keys in the form of the kernel; the last of several counts. */
function peersByKey(list: readonly WireguardPeer[], problems: string[]): Map<string, WireguardPeer> {
  const peers = new Map<string, WireguardPeer>();
  for (const [at, peer] of list.entries()) {
    const bytes = keyFromText(peer.publicKey);
    const isPreshared = peer.presharedKey === '' || keyFromText(peer.presharedKey) !== undefined;
    if (bytes === undefined) problems.push(`the public key of peer ${at + 1} is not base64 of 32 bytes`);
    else if (!isPreshared) problems.push(`the preshared key of peer ${at + 1} is not base64 of 32 bytes`);
    else {
      const publicKey = keyText(bytes);
      if (peers.has(publicKey)) problems.push(`peer ${publicKey} is named twice: the last one counts`);
      peers.delete(publicKey);
      peers.set(publicKey, peer);
    }
  }
  return peers;
}

function peerSettings(
  peers: ReadonlyMap<string, WireguardPeer>,
  facts: EndpointFacts,
  problems: string[],
): PeerSettings[] {
  const allowed = allowedIpsOf(peers, problems);
  return [...peers].map(([publicKey, peer]) => {
    const preshared = keyFromText(peer.presharedKey);
    const digest = preshared === undefined ? '' : presharedKeyDigest(preshared);
    const endpoint = peer.endpoint === '' ? undefined : endpointOf(peer.endpoint, facts);
    if (endpoint?.kind === 'invalid')
      problems.push(`peer ${publicKey}: ${shownName(peer.endpoint)} is no address and port`);
    if (endpoint?.kind === 'unknown')
      problems.push(`peer ${publicKey}: the address of ${shownName(endpoint.host)} is not known`);
    return {
      publicKey,
      presharedKey: digest === '' ? undefined : new Secret(peer.presharedKey),
      presharedKeyDigest: digest,
      endpointText: endpoint?.kind === 'invalid' ? '' : peer.endpoint,
      endpoint: endpoint?.kind === 'address' ? endpoint.text : undefined,
      keepaliveSeconds: keepaliveOf(peer.persistentKeepaliveInterval),
      allowedIps: allowed.get(publicKey) ?? [],
    };
  });
}

/** The kernel counts whole seconds. Less than one is not 0, which turns it off. */
function keepaliveOf(milliseconds: number): number {
  if (milliseconds <= 0) return 0;
  return Math.min(Math.max(Math.floor(milliseconds / 1000), 1), maxPort);
}

/** Each prefix at the last peer that names it, as in the kernel, where a prefix belongs to one peer. */
function allowedIpsOf(
  peers: ReadonlyMap<string, WireguardPeer>,
  problems: string[],
): ReadonlyMap<string, readonly string[]> {
  const all = [...peers].flatMap(([publicKey, peer]) => peer.allowedIPs.map((text) => ({ publicKey, text })));
  const limit = { limit: wireguardLimits.allowedIps, what: 'allowed IPs' };
  const owners = new Map<string, string>();
  for (const { publicKey, text } of withinLimit(all, limit, problems)) {
    const prefix = allowedIp(text);
    if (prefix === undefined) {
      problems.push(`peer ${publicKey}: ${shownName(text)} is not a prefix`);
      continue;
    }
    const owner = owners.get(prefix);
    if (owner !== undefined && owner !== publicKey)
      problems.push(`${prefix} is allowed for peers ${owner} and ${publicKey}: the last one counts`);
    owners.set(prefix, publicKey);
  }
  const byPeer = Map.groupBy([...owners.keys()].toSorted(), (prefix) => owners.get(prefix) ?? '');
  return byPeer;
}

const byteBits = 8;

/** Without its host bits; undefined for a text that is not a prefix. There may be thousands of them in each plan, so it works on bytes. */
function allowedIp(text: string): string | undefined {
  const [address = '', length = '', rest] = text.split('/');
  if (rest !== undefined || !/^\d{1,3}$/.test(length) || !isIpAddress(address)) return undefined;
  const bytes = ipAddressBytes(address);
  if (Number(length) > bytes.length * byteBits) return undefined;
  const network = bytes.map((byte, at) => {
    const bits = Math.min(Math.max(Number(length) - at * byteBits, 0), byteBits);
    return byte & (0xff << (byteBits - bits));
  });
  const shown = ipAddressText(network);
  // An IPv4 address in the form of an IPv6 address is written as the former, whose prefixes are shorter.
  return address.includes(':') && !shown.includes(':') ? undefined : `${shown}/${Number(length)}`;
}

type Endpoint =
  | { readonly kind: 'address'; readonly text: string }
  | { readonly kind: 'unknown'; readonly host: string }
  | { readonly kind: 'invalid' };

function endpointOf(text: string, { links, endpointAddresses }: EndpointFacts): Endpoint {
  const { host = '', port = 0 } = parseHostPort(text) ?? {};
  if (host === '') return { kind: 'invalid' };
  const [bare = '', zone] = host.split('%');
  const address = isIpAddress(bare) ? bare : endpointAddresses.get(host);
  if (address === undefined) return { kind: 'unknown', host };
  const known = addressOf(networkOf(address) ?? '');
  if (!known.includes(':')) return { kind: 'address', text: `${known}:${port}` };
  const scope = zone === undefined ? undefined : scopeOf(zone, links);
  if (zone !== undefined && scope === undefined) return { kind: 'unknown', host };
  return { kind: 'address', text: `[${known}${scope === undefined ? '' : `%${scope}`}]:${port}` };
}

/** The index of the link of a zone, which may also be written as a number. */
function scopeOf(zone: string, links: readonly NamedLink[]): number | undefined {
  return findLink(links, zone)?.index ?? (/^[1-9]\d{0,8}$/.test(zone) ? Number(zone) : undefined);
}

/** The hosts of endpoints whose addresses must be looked up, each once, and no more of them than one link has peers. */
export function hostsOfEndpoints(specs: readonly Pick<WireguardSpec, 'peers'>[]): string[] {
  const hosts = specs.flatMap(({ peers }) =>
    peers.slice(0, wireguardLimits.peers).map(({ endpoint }) => parseHostPort(endpoint)?.host ?? ''),
  );
  const names = [...new Set(hosts)].filter(
    (host) => host !== '' && !isIpAddress(host.split('%', 1)[0] ?? ''),
  );
  return names.slice(0, wireguardLimits.peers);
}
