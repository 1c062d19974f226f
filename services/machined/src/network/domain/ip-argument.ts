// The argument `ip=` of the kernel's command line. Source: Linux, nfsroot; Talos v1.14: kernel command line.
import { addressOf, isLoopback, isMulticast, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';
import { shownLine } from './link-plan/shown-name.ts';

/** What to write on the kernel's command line, with the fields that it needs. */
export const ipArgumentForm = 'ip=<address>::<gateway>:<netmask>::<link>:off:<name server>';

/** The values of `ip=` by which the machine asks a DHCP server for the address. Source: Linux, nfsroot. */
const dhcpValues: readonly string[] = ['dhcp', 'both', 'on', 'any'];
/** The values by which the kernel would ask in other ways. */
const otherAskingValues: readonly string[] = ['dhcp6', 'bootp', 'rarp'];
/** The values by which it would not. */
const staticValues: readonly string[] = ['', 'off', 'none', 'static'];
/** A label has at most 63 characters and the name 253. Source: RFC 1123. */
export const hostnameForm =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A name or an alternative name, of which the kernel takes 127 characters. It allows more of them than any program uses. */
export const deviceForm = /^(?!\.{1,2}$)[\w.@+-]{1,127}$/;
/** The kernel's command line has 2048 bytes, but that of a hypervisor may have more. */
const maxArguments = 64;

/** A static configuration from the kernel's command line. */
export interface IpArgument {
  readonly address: string;
  readonly prefixLength: number;
  readonly gateway?: string;
  readonly hostname?: string;
  /** Name of the network device; without it the first hardware device. */
  readonly device?: string;
  /** At most two. */
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
}

/** The arguments `ip=` of a command line. */
export interface IpArguments {
  /**
   * In their order, with their position among all of them, also the wrong ones. Each device has at most one of each family, of which
   * the last counts, in the place of the first: what is appended in a boot menu replaces what was there.
   */
  readonly all: readonly { readonly position: number; readonly argument: IpArgument }[];
  /** The links that ask a DHCP server. Without a link, `ip=dhcp` is what a machine does by default. */
  readonly dhcpLinks: readonly string[];
  /** What is wrong, in one line each. A wrong argument does not affect the others. */
  readonly problems: readonly string[];
  /** What is wrong in the fields beside the address, the gateway and the device, in one line each. The others apply. */
  readonly partialProblems: readonly string[];
}

/** Reads all arguments `ip=` of the kernel's command line, 64 at most. */
export function parseIpArguments(commandLine: string): IpArguments {
  const words = commandLine
    .trim()
    .split(/\s+/)
    .filter((word) => word.startsWith('ip='));
  const all = new Map<string, { position: number; argument: IpArgument; partial: readonly string[] }>();
  const problems: string[] = [];
  const dhcpLinks = new Set<string>();
  if (words.length > maxArguments)
    problems.push(`there are ${words.length} arguments ip=: all after ${maxArguments} are ignored`);
  for (const [position, word] of words.slice(0, maxArguments).entries()) {
    try {
      const value = word.slice('ip='.length);
      const asking = dhcpLinkOf(value);
      if (asking !== undefined) {
        if (asking !== '') dhcpLinks.add(asking);
        continue;
      }
      const partial: string[] = [];
      const argument = parseIpArgument(value, (problem) => partial.push(problem));
      if (argument === undefined) continue;
      const key = `${argument.device ?? ''}/${argument.address.includes(':') ? 'inet6' : 'inet4'}`;
      all.set(key, { position: all.get(key)?.position ?? position, argument, partial });
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return {
    all: [...all.values()].map(({ position, argument }) => ({ position, argument })),
    dhcpLinks: [...dhcpLinks],
    problems: problems.map(shownLine),
    partialProblems: [...all.values()].flatMap(({ partial }) => partial).map(shownLine),
  };
}

/**
 * The link of `ip=<link>:dhcp`, or of an argument whose field for it says so; empty without one. Undefined for other arguments. Source:
 * Talos v1.14: kernel command line, `ip=<dev>:dhcp`.
 *
 * @throws Error for a name that no link can have
 */
function dhcpLinkOf(value: string): string | undefined {
  const fields = fieldsOf(value);
  const [first = '', , , , , device = '', autoconf = ''] = fields;
  const isShort = fields.length <= 2;
  if (!dhcpValues.includes((isShort ? fields.at(-1) : autoconf) ?? '')) return undefined;
  if (!isShort && !isNone(first)) return undefined;
  const name = isShort ? (fields.length === 2 ? first : '') : device;
  if (name !== '' && !deviceForm.test(name))
    throw new Error(`ip=${value}: "${name}" is not the name of a network device`);
  return name;
}

/**
 * Parses the value of the kernel argument `ip=`:
 * `<address>:<server>:<gateway>:<netmask>:<hostname>:<device>:<autoconf>:<dns>:<dns>:<ntp>`. Trailing fields may be missing. IPv6
 * addresses are in brackets. The netmask is an address or the length of the prefix, and without one the prefix is the whole address.
 * The server is ignored. Arguments that ask a DHCP server are `dhcpLinks` of `parseIpArguments()`.
 *
 * @param report called with a line for each host name, name server or time server that is wrong; these are left out
 * @returns undefined for an empty value, and for `off` and `none`
 * @throws Error that says which field is wrong
 */
export function parseIpArgument(value: string, report: (problem: string) => void): IpArgument | undefined {
  if (value === '') return undefined;
  const fields = fieldsOf(value);
  const [address = '', , gateway = '', netmask = '', hostname = '', device = '', autoconf = ''] = fields;
  const asks = fields.length <= 2 ? fields.at(-1) : autoconf;
  if (otherAskingValues.includes(asks ?? ''))
    throw new Error(`ip=${value}: "${asks}" is not implemented: write ip=<link>:dhcp, or ${ipArgumentForm}`);
  if (fields.length === 1 && ['off', 'none'].includes(address)) return undefined;
  if (dhcpValues.includes(autoconf))
    throw new Error(`ip=${value}: it has an address, and asks for one by "${autoconf}": write one of them`);
  if (!staticValues.includes(autoconf))
    throw new Error(`ip=${value}: "${autoconf}" is not implemented: write ${ipArgumentForm}`);
  if (device !== '' && !deviceForm.test(device))
    throw new Error(`ip=${value}: "${device}" is not the name of a network device`);
  const servers = (what: string, texts: readonly string[]) =>
    texts.flatMap((text) => {
      try {
        return isNone(text) ? [] : [addressField(value, what, text)];
      } catch (error) {
        report((error as Error).message);
        return [];
      }
    });
  const own = unicastField(value, 'address', address);
  const nextHop = isNone(gateway) ? undefined : unicastField(value, 'gateway', gateway);
  if (nextHop !== undefined && nextHop.includes(':') !== own.includes(':'))
    throw new Error(`ip=${value}: the gateway is not of the family of the address`);
  const prefixLength = prefixLengthOf(value, own, netmask);
  const isHostname = hostnameForm.test(hostname);
  if (hostname !== '' && !isHostname) report(`ip=${value}: "${hostname}" is not a host name`);
  return {
    ...{ address: own, prefixLength },
    ...(nextHop === undefined ? {} : { gateway: nextHop }),
    ...(isHostname ? { hostname } : {}),
    ...(device === '' ? {} : { device }),
    nameServers: servers('name server', fields.slice(7, 9)),
    timeServers: servers('time server', fields.slice(9, 10)),
  };
}

/** Boot loaders write 0.0.0.0 for a field that is not given, as the kernel reads it. Source: Linux, nfsroot. */
const isNone = (field: string) => field === '' || field === '0.0.0.0';

/** The fields, which are separated by the colons that are not in brackets. */
function fieldsOf(value: string): string[] {
  const fields = [''];
  let isInBrackets = false;
  for (const character of value) {
    if (character === '[') isInBrackets = true;
    if (character === ']') isInBrackets = false;
    if (character === ':' && !isInBrackets) fields.push('');
    else fields[fields.length - 1] += character;
  }
  if (isInBrackets) throw new Error(`ip=${value}: a bracket is not closed`);
  return fields;
}

/** @throws Error unless it is an IPv4 address, or an IPv6 address in brackets */
function addressField(value: string, what: string, text: string): string {
  const isBare = !(text.startsWith('[') && text.endsWith(']'));
  const inner = isBare ? text : text.slice(1, -1);
  const prefix = parsePrefix(inner);
  if (prefix === undefined || inner.includes('/') || isBare === inner.includes(':'))
    throw new Error(`ip=${value}: ${what} "${text}" is not an IPv4 address, nor an IPv6 address in brackets`);
  if (isMapped(prefix))
    throw new Error(`ip=${value}: ${what} "${text}" is an IPv4 address in IPv6: write it as an IPv4 address`);
  return inner;
}

/** Such as `::ffff:10.0.0.1`: the kernel takes it for an address of another family than the one that is meant. */
const isMapped = ({ family, bits }: Prefix) => family === 6 && bits >> 32n === 0xffffn;
const isBroadcast = ({ family, bits }: Prefix) => family === 4 && bits === 0xffff_ffffn;

/** @throws Error unless it is an address that one machine of a network can have */
function unicastField(value: string, what: string, text: string): string {
  const inner = addressField(value, what, text);
  const prefix = parsePrefix(inner) as Prefix;
  const kind =
    prefix.bits === 0n
      ? 'unspecified'
      : isMulticast(prefix)
        ? 'a multicast address'
        : isLoopback(prefix)
          ? 'a loopback address'
          : isBroadcast(prefix)
            ? 'the broadcast address'
            : undefined;
  if (kind !== undefined) throw new Error(`ip=${value}: ${what} "${text}" is ${kind}`);
  return inner;
}

/** The number of leading ones of a netmask, which may also be given as that number. */
function prefixLengthOf(value: string, address: string, netmask: string): number {
  const width = address.includes(':') ? 128 : 32;
  if (isNone(netmask)) return width;
  if (/^\d{1,3}$/.test(netmask)) {
    if (Number(netmask) <= width) return Number(netmask);
    throw new Error(`ip=${value}: netmask "${netmask}" is longer than ${width} bits`);
  }
  const mask = parsePrefix(addressOf(addressField(value, 'netmask', netmask)));
  if (mask?.length !== width) throw new Error(`ip=${value}: netmask "${netmask}" is of another family`);
  const bits = mask.bits.toString(2).padStart(width, '0');
  if (!/^1*0*$/.test(bits)) throw new Error(`ip=${value}: netmask "${netmask}" has ones after a zero`);
  return bits.replaceAll('0', '').length;
}
