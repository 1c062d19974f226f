// What a server of DHCP for IPv6 offers or grants, with everything left out that must not reach the machine.
import { faultFrom } from '@nodewright/fault';
import { ipAddressText } from '@nodewright/linux/network';
import { plainDomainsOf } from '../domain-names.ts';
import { mostServers, shortestLeaseSeconds } from '../lease-offer.ts';
import type { Inet6ClientSettings } from './client-message.ts';
import {
  inet6OptionCodes as codes,
  decodeInet6Options,
  type Inet6Message,
  type Inet6Option,
  inet6MessageTypes,
  inet6Option,
} from './message.ts';

/** An address with the settings that belong to it. */
export interface Inet6Grant {
  /** Without a prefix length. */
  readonly address: string;
  /** Undefined: for ever. */
  readonly validSeconds: number | undefined;
  /** T1 and T2, both below the end. Undefined for an address without end. */
  readonly renewalSeconds: number | undefined;
  readonly rebindingSeconds: number | undefined;
  /** Those that are link-local without their link. */
  readonly nameServers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly timeServers: readonly string[];
  /** The name of this client, and its domain; each undefined when the server does not say it. */
  readonly hostname: string | undefined;
  readonly domainName: string | undefined;
}

/** A message for this client. */
export interface Inet6Reply {
  readonly isAdvertisement: boolean;
  readonly isRapid: boolean;
  readonly serverId: Uint8Array;
  /** The servers with the highest one are preferred. */
  readonly preference: number;
  /** Of the message, or of its addresses. Source: RFC 8415, section 21.13. */
  readonly status: number;
  /** The addresses that the message takes away. */
  readonly removed: readonly string[];
  /** The addresses that it gives, and those that it would. */
  readonly grants: readonly Inet6Grant[];
}

export const inet6Status = { success: 0, noAddresses: 2, noBinding: 3, notOnLink: 4 } as const;

const longestId = 130;
const withoutEnd = 0xffff_ffff;
const addressBytes = 16;
/** Of those of one client. It uses the first. */
const mostGrants = 8;
/** Of option 56: an address of a server. Source: RFC 5908, section 4. */
const timeServerAddress = 1;
/** Source: RFC 8415, section 21.4. */
const [renewalShare, rebindingShare] = [0.5, 0.8];

/** Reads a message of a server; undefined when it is not for this client, or is damaged. */
export function inet6ReplyOf(message: Inet6Message, settings: Inet6ClientSettings): Inet6Reply | undefined {
  const { type, options } = message;
  const isAdvertisement = type === inet6MessageTypes.advertise;
  if (!isAdvertisement && type !== inet6MessageTypes.reply) return undefined;
  const clientId = inet6Option(options, codes.clientId);
  const serverId = inet6Option(options, codes.serverId);
  if (clientId === undefined || !Buffer.from(clientId).equals(settings.clientId)) return undefined;
  if (serverId === undefined || serverId.length === 0 || serverId.length > longestId) return undefined;
  const ownStatus = statusOf(options);
  try {
    const { status, removed, grants } = addressesOf(options, settings);
    return {
      ...{ isAdvertisement, serverId, removed, grants },
      isRapid: inet6Option(options, codes.rapidCommit)?.length === 0,
      preference: inet6Option(options, codes.preference)?.[0] ?? 0,
      status: ownStatus === inet6Status.success ? status : ownStatus,
    };
  } catch (error) {
    if (faultFrom(error).kind === 'data-loss') return undefined;
    throw error;
  }
}

function statusOf(options: readonly Inet6Option[]): number {
  const value = inet6Option(options, codes.statusCode);
  return value === undefined || value.length < 2 ? inet6Status.success : Buffer.from(value).readUInt16BE();
}

/** The addresses of the association of this client. */
function addressesOf(
  options: readonly Inet6Option[],
  { associationId }: Inet6ClientSettings,
): Pick<Inet6Reply, 'status' | 'removed' | 'grants'> {
  const values = options
    .filter(({ code }) => code === codes.addresses)
    .map(({ value }) => Buffer.from(value));
  const own = values.find((value) => value.length >= 12 && value.readUInt32BE() === associationId);
  if (own === undefined) return { status: inet6Status.success, removed: [], grants: [] };
  const [renewal, rebinding] = [own.readUInt32BE(4), own.readUInt32BE(8)];
  const inside = decodeInet6Options(own.subarray(12));
  const removed: string[] = [];
  const grants: Inet6Grant[] = [];
  const shared = {
    nameServers: inet6NameServersOf(inet6Option(options, codes.nameServers) ?? new Uint8Array()).slice(
      0,
      mostServers,
    ),
    searchDomains: plainDomainsOf(inet6Option(options, codes.searchDomains) ?? new Uint8Array()),
    timeServers: timeServersOf(inet6Option(options, codes.timeServers) ?? new Uint8Array()),
    ...nameOf(inet6Option(options, codes.clientName) ?? new Uint8Array()),
  };
  for (const { code, value } of inside) {
    if (code !== codes.address || value.length < addressBytes + 8) continue;
    const bytes = value.subarray(0, addressBytes);
    if (!isUnicast(bytes)) continue;
    const address = ipAddressText(bytes);
    const [preferred, valid] = [16, 20].map((at) => Buffer.from(value).readUInt32BE(at)) as [number, number];
    if (statusOf(decodeInet6Options(value.subarray(24))) !== inet6Status.success) continue;
    if (valid === 0) removed.push(address);
    if (preferred > valid || valid < shortestLeaseSeconds || grants.length >= mostGrants) continue;
    grants.push({ address, ...timesOf({ renewal, rebinding, preferred, valid }), ...shared });
  }
  return { status: statusOf(inside), removed, grants };
}

interface Times {
  readonly renewal: number;
  readonly rebinding: number;
  readonly preferred: number;
  readonly valid: number;
}

/** Those of the server if they are in their order; else shares of the lifetime. */
function timesOf({ renewal, rebinding, preferred, valid }: Times) {
  if (valid === withoutEnd)
    return { validSeconds: undefined, renewalSeconds: undefined, rebindingSeconds: undefined };
  // A renewal at once would be answered by one more.
  const isInOrder = renewal >= shortestLeaseSeconds / 2 && renewal < rebinding && rebinding < valid;
  if (isInOrder) return { validSeconds: valid, renewalSeconds: renewal, rebindingSeconds: rebinding };
  const base = preferred >= shortestLeaseSeconds ? preferred : valid;
  return {
    validSeconds: valid,
    renewalSeconds: base * renewalShare,
    rebindingSeconds: base * rebindingShare,
  };
}

function timeServersOf(value: Uint8Array): string[] {
  let options: readonly Inet6Option[];
  try {
    options = decodeInet6Options(value);
  } catch (error) {
    if (faultFrom(error).kind !== 'data-loss') throw error;
    // The lease is good all the same.
    return [];
  }
  const servers = options.filter(({ code, value: bytes }) => code === timeServerAddress && isUnicast(bytes));
  return [...new Set(servers.map(({ value: bytes }) => ipAddressText(bytes)))].slice(0, mostServers);
}

/** The name behind a byte of flags. One without an empty label at its end has no domain. Source: RFC 4704, section 4. */
function nameOf(value: Uint8Array): Pick<Inet6Grant, 'hostname' | 'domainName'> {
  const [name = ''] = plainDomainsOf(Buffer.concat([value.subarray(1), Buffer.of(0)]));
  const [hostname = '', ...domain] = name.split('.');
  return {
    hostname: hostname === '' ? undefined : hostname,
    domainName: domain.length === 0 ? undefined : domain.join('.'),
  };
}

/** The hosts in a list of name servers, each once. A link-local one is a host of the link on which the list arrived. */
export function inet6NameServersOf(value: Uint8Array): string[] {
  const servers: string[] = [];
  for (let at = 0; at + addressBytes <= value.length; at += addressBytes) {
    const bytes = value.subarray(at, at + addressBytes);
    if (isUnicast(bytes) || isLinkLocal(bytes)) servers.push(ipAddressText(bytes));
  }
  return [...new Set(servers)];
}

const isLinkLocal = ([first = 0, second = 0]: Uint8Array) => first === 0xfe && (second & 0xc0) === 0x80;

/**
 * Whether a host can have the address on any link: not an unspecified one, a loopback one, one of IPv4 in IPv6, one of a single link, or
 * a multicast one.
 */
function isUnicast(bytes: Uint8Array): boolean {
  if (bytes.length !== addressBytes || bytes[0] === 0xff || isLinkLocal(bytes)) return false;
  // `::`, `::1`, the old form of IPv4 in IPv6, and the present one.
  return bytes.subarray(0, 10).some((byte) => byte !== 0);
}
