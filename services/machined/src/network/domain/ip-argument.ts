import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/** What to write on the kernel's command line, with the fields that it needs. */
export const ipArgumentForm = 'ip=<address>::<gateway>:<netmask>::<link>:off:<name server>';

/** The values of `ip=` by which the kernel would ask a server for the address. Source: Linux, nfsroot. */
const askingValues: readonly string[] = ['dhcp', 'bootp', 'rarp', 'both', 'on', 'any'];

/** A static IPv4 configuration from the kernel's command line. */
export interface IpArgument {
  readonly address: string;
  readonly prefixLength: number;
  readonly gateway?: string;
  readonly hostname?: string;
  /** Name of the network device; without it the only one besides the loopback device. */
  readonly device?: string;
  readonly nameServers: readonly string[];
}

/**
 * Parses the value of the kernel argument `ip=`:
 * `<address>:<server>:<gateway>:<netmask>:<hostname>:<device>:<autoconf>:<dns>:<dns>`. Trailing fields may be missing.
 * Only static IPv4 addresses are implemented. Source: Linux, nfsroot.
 *
 * @returns undefined for an empty value, and for `off` and `none`
 * @throws Error that says which field is wrong
 */
export function parseIpArgument(value: string): IpArgument | undefined {
  if (value === '') return undefined;
  const [address = '', , gateway = '', netmask = '', hostname = '', device = '', autoconf = '', ...more] =
    value.split(':');
  const isAlone = !value.includes(':');
  const wanted = isAlone && askingValues.includes(address) ? address : autoconf;
  if (askingValues.includes(wanted))
    throw new Error(
      `ip=${value}: DHCP is not implemented yet, nor is any other way to ask for an address: write ${ipArgumentForm}`,
    );
  if (isAlone && ['off', 'none'].includes(address)) return undefined;
  if (!['', 'off', 'none'].includes(autoconf))
    throw new Error(`ip=${value}: "${autoconf}" is not implemented: write ${ipArgumentForm}`);
  requireIpv4(value, 'address', address);
  if (gateway !== '') requireIpv4(value, 'gateway', gateway);
  const nameServers = more.slice(0, 2).filter((server) => server !== '');
  for (const server of nameServers) requireIpv4(value, 'name server', server);
  return {
    address,
    prefixLength: prefixLengthOf(value, netmask),
    ...(gateway === '' ? {} : { gateway }),
    ...(hostname === '' ? {} : { hostname }),
    ...(device === '' ? {} : { device }),
    nameServers,
  };
}

function requireIpv4(value: string, what: string, text: string): void {
  if (!isIpAddress(text) || text.includes(':'))
    throw new Error(`ip=${value}: ${what} "${text}" is not an IPv4 address`);
}

/** The number of leading ones of a netmask, which may also be given as that number. */
function prefixLengthOf(value: string, netmask: string): number {
  if (/^\d{1,2}$/.test(netmask) && Number(netmask) <= 32) return Number(netmask);
  requireIpv4(value, 'netmask', netmask);
  const bits = netmask
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
  if (!/^1*0*$/.test(bits)) throw new Error(`ip=${value}: netmask "${netmask}" has ones after a zero`);
  return bits.replaceAll('0', '').length;
}
