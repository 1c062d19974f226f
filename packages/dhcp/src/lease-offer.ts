// What a server offers or grants, with everything left out that must not reach the machine.
import type { DhcpMessage } from './dhcp-message.ts';
import { nameOfBytes, searchDomainsOf } from './domain-names.ts';
import {
  areNeighbours,
  isEdgeOfNetwork,
  isHostAddress,
  prefixLengthOfMask,
  textOfAddress,
  unspecifiedAddress,
} from './inet4-address.ts';
import { optionCodes } from './option-codes.ts';

/** A route of a server. */
export interface OfferedRoute {
  /** `10.1.0.0`; `0.0.0.0` with length 0 is the default route. */
  readonly destination: string;
  readonly prefixLength: number;
  /** `0.0.0.0`: the destination is on the link itself. */
  readonly gateway: string;
}

/** An address with the settings that belong to it. */
export interface LeaseOffer {
  readonly address: string;
  readonly prefixLength: number;
  /** Undefined for a server that does not say who it is. */
  readonly serverId: string | undefined;
  /** Undefined: for ever. */
  readonly leaseSeconds: number | undefined;
  /** T1 and T2, both below the lease. Undefined for a lease without end. */
  readonly renewalSeconds: number | undefined;
  readonly rebindingSeconds: number | undefined;
  readonly routes: readonly OfferedRoute[];
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly hostname: string | undefined;
  readonly domainName: string | undefined;
  readonly mtu: number | undefined;
}

/** Of a list of routes, all after these are dropped. Each of them is a change of the kernel with each lease that differs. */
export const mostRoutes = 64;
/** Of routers, name servers and time servers. */
export const mostServers = 8;
/** Entries of a list that are looked at, also when they are of no use: a message has room for thousands of them. */
const mostRead = { servers: 64, routes: 256 } as const;
/** Each host must take datagrams of this size, and links with a smaller MTU carry no IPv4. Source: RFC 791, section 3.2. */
const smallestMtu = 576;
/** Talos v1.14 takes half an hour, too. */
const leaseSecondsIfUnsaid = 1800;
/**
 * A shorter lease is refused: it would be over before the address was probed, and its renewals would be a flood that the server
 * causes.
 */
export const shortestLeaseSeconds = 10;
const withoutEnd = 0xffff_ffff;

/** A reply that is of no use, in a few words. */
export interface RefusedOffer {
  readonly reason: string;
}

/** Reads an offer or an acknowledgement. */
export function offerOf(message: DhcpMessage): LeaseOffer | RefusedOffer {
  const { options, yourAddress: address } = message;
  const mask = exactValue(options, optionCodes.subnetMask, 4);
  const prefixLength = mask && prefixLengthOfMask(mask);
  if (!isHostAddress(address)) return { reason: `${address} is not the address of a host` };
  // No mask follows from the address alone any more. Source: RFC 4632, section 3.1.
  if (prefixLength === undefined || prefixLength === 0)
    return { reason: `there is no netmask for ${address}` };
  if (isEdgeOfNetwork(address, prefixLength))
    return { reason: `${address}/${prefixLength} is a network and not the address of a host` };
  const serverId = serverIdOf(message);
  if (options.has(optionCodes.serverId) && serverId === undefined)
    return { reason: 'the id of the server is not the address of a host' };
  if (serverId === address) return { reason: `the server gives its own address ${address} away` };
  const said = numberOf(options, optionCodes.leaseTime);
  if (said !== undefined && said < shortestLeaseSeconds)
    return { reason: `a lease of ${said} s is shorter than ${shortestLeaseSeconds} s` };
  const leaseSeconds = said === withoutEnd ? undefined : (said ?? leaseSecondsIfUnsaid);
  return {
    ...{ address, prefixLength, serverId, leaseSeconds, ...timesOf(options, leaseSeconds) },
    routes: routesOf(options, { address, prefixLength }),
    nameServers: serversOf(options, optionCodes.nameServers, { address, prefixLength }),
    timeServers: serversOf(options, optionCodes.timeServers, { address, prefixLength }),
    ...namesOf(options),
    mtu: mtuOf(options),
  };
}

/** The server of a message; undefined when it does not say who it is, or names something that is not a host. */
export function serverIdOf({ options }: Pick<DhcpMessage, 'options'>): string | undefined {
  const bytes = exactValue(options, optionCodes.serverId, 4);
  const text = bytes && textOfAddress(bytes);
  return text !== undefined && isHostAddress(text) ? text : undefined;
}

/** The type of a message; undefined for one of BOOTP. */
export function messageTypeOf({ options }: Pick<DhcpMessage, 'options'>): number | undefined {
  return exactValue(options, optionCodes.messageType, 1)?.[0];
}

type Options = DhcpMessage['options'];

/** A value of exactly this length. */
function exactValue(options: Options, code: number, length: number): Uint8Array | undefined {
  const value = options.get(code);
  return value?.length === length ? value : undefined;
}

function numberOf(options: Options, code: number): number | undefined {
  const value = exactValue(options, code, 4);
  return value && Buffer.from(value).readUInt32BE();
}

/** Those of the server, if they are in their order; else half and seven eighths of the lease. Source: RFC 2131, section 4.4.5. */
function timesOf(options: Options, leaseSeconds: number | undefined) {
  if (leaseSeconds === undefined) return { renewalSeconds: undefined, rebindingSeconds: undefined };
  const [renewal, rebinding] = [optionCodes.renewalTime, optionCodes.rebindingTime].map((code) =>
    numberOf(options, code),
  );
  const renewalSeconds = renewal ?? leaseSeconds / 2;
  const rebindingSeconds = rebinding ?? (leaseSeconds * 7) / 8;
  // A renewal at once would be answered by one more.
  const isInOrder =
    renewalSeconds >= shortestLeaseSeconds / 2 &&
    renewalSeconds < rebindingSeconds &&
    rebindingSeconds < leaseSeconds;
  return isInOrder
    ? { renewalSeconds, rebindingSeconds }
    : { renewalSeconds: leaseSeconds / 2, rebindingSeconds: (leaseSeconds * 7) / 8 };
}

type Own = Pick<LeaseOffer, 'address' | 'prefixLength'>;

/** The addresses of other hosts in a list, each once. A machine that is its own resolver or time server has none. */
function serversOf(options: Options, code: number, own: Own): string[] {
  const value = (options.get(code) ?? new Uint8Array()).subarray(0, 4 * mostRead.servers);
  const all: string[] = [];
  for (let at = 0; at + 4 <= value.length; at += 4) all.push(textOfAddress(value.subarray(at, at + 4)));
  return [...new Set(all.filter((each) => isOtherHost(each, own)))].slice(0, mostServers);
}

/** The kernel refuses a route through a broadcast address, or through an address of the machine itself. */
const isOtherHost = (text: string, { address, prefixLength }: Own) =>
  isHostAddress(text) &&
  text !== address &&
  !(areNeighbours(text, address, prefixLength) && isEdgeOfNetwork(text, prefixLength));

/** Option 121 replaces the routers. Source: RFC 3442. */
function routesOf(options: Options, own: Own): OfferedRoute[] {
  const classless = options.get(optionCodes.classlessRoutes);
  if (classless !== undefined) return classlessRoutesOf(classless, own);
  return serversOf(options, optionCodes.routers, own)
    .slice(0, 1)
    .map((gateway) => ({ destination: unspecifiedAddress, prefixLength: 0, gateway }));
}

/** How many bits of a byte of an address are in a prefix of this length. */
const bitsOfByte = (prefixLength: number, index: number) =>
  Math.min(8, Math.max(0, prefixLength - 8 * index));

/** A list that is damaged ends there. Source: RFC 3442. */
function classlessRoutesOf(value: Uint8Array, own: Own): OfferedRoute[] {
  const routes = new Map<string, OfferedRoute>();
  for (let at = 0, read = 0; at < value.length && routes.size < mostRoutes; read += 1) {
    if (read >= mostRead.routes) break;
    const prefixLength = value[at] ?? 0;
    const significant = Math.ceil(prefixLength / 8);
    const gatewayAt = at + 1 + significant;
    if (prefixLength > 32 || gatewayAt + 4 > value.length) break;
    const network = new Uint8Array(4);
    network.set(value.subarray(at + 1, gatewayAt));
    // Servers may leave bits of the host in it, with which the kernel would refuse the route.
    const last = significant - 1;
    if (last >= 0) network[last] = (network[last] ?? 0) & (0xff << (significant * 8 - prefixLength));
    const destination = textOfAddress(network);
    const gateway = textOfAddress(value.subarray(gatewayAt, gatewayAt + 4));
    const lastAddress = textOfAddress(
      network.map((byte, index) => byte | (0xff >> bitsOfByte(prefixLength, index))),
    );
    const isRouted = prefixLength === 0 || (isHostAddress(destination) && isHostAddress(lastAddress));
    if (isRouted && (gateway === unspecifiedAddress || isOtherHost(gateway, own))) {
      const key = `${destination}/${prefixLength}`;
      if (!routes.has(key)) routes.set(key, { destination, prefixLength, gateway });
    }
    at = gatewayAt + 4;
  }
  return [...routes.values()];
}

/** The host name may have its domain in it; that of option 15 counts more. */
function namesOf(options: Options): Pick<LeaseOffer, 'hostname' | 'domainName' | 'searchDomains'> {
  const nameAt = (code: number) => {
    const value = options.get(code);
    return value && nameOfBytes(value);
  };
  const [hostname = '', ...rest] = nameAt(optionCodes.hostname)?.split('.') ?? [];
  const own = nameAt(optionCodes.domainName);
  const domainName = own ?? (rest.length > 0 ? rest.join('.') : undefined);
  const listed = searchDomainsOf(options.get(optionCodes.searchDomains) ?? new Uint8Array());
  return {
    hostname: hostname === '' ? undefined : hostname,
    domainName,
    searchDomains: [...new Set([...listed, ...(own === undefined ? [] : [own])])],
  };
}

function mtuOf(options: Options): number | undefined {
  const value = exactValue(options, optionCodes.interfaceMtu, 2);
  const mtu = value && Buffer.from(value).readUInt16BE();
  return mtu !== undefined && mtu >= smallestMtu ? mtu : undefined;
}
