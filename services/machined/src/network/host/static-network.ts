import { Fault } from '@nodewright/fault';
import { addAddress, addDefaultRoute, type NativeCalls, readLinks, setLinkUp } from '@nodewright/linux';
import type { IpArgument } from '../domain/ip-argument.ts';

const loopback = 'lo';
/** `ARPHRD_ETHER` of <linux/if_arp.h>. */
const ethernet = 1;

/** Sets a parameter of the kernel. @throws Error of Node.js */
export type SetParameter = (path: string, value: string) => void;

/**
 * Sets the loopback device up and, if there is one, applies the static configuration of the kernel's command line. Without one
 * every Ethernet link comes up, so that its lamp, its switch and the node's own status show whether there is a cable.
 * No link takes addresses or routes from the advertisements of routers: the command line asks for IPv4 only, and any neighbour can send
 * advertisements. `net.ipv6.conf.<link>.accept_ra` of the configuration switches them on for a link.
 *
 * @throws Error of Node.js when the advertisements cannot be switched off; then no link but the loopback device is up
 * @throws Fault `not-found` without the device, `unavailable` when the kernel refuses
 */
export function setUpNetwork(
  calls: NativeCalls,
  argument: IpArgument | undefined,
  setParameter: SetParameter,
): void {
  const links = readLinks(calls);
  const loopbackIndex = links.find(({ name }) => name === loopback)?.index;
  if (loopbackIndex !== undefined) setLinkUp(calls, loopbackIndex);
  const others = links.filter(({ name }) => name !== loopback);
  // Links that appear later have the value of `default`, which goes first, so that none is missed.
  for (const name of ['default', ...others.map((link) => link.name)])
    refuseAdvertisements(name, setParameter);
  if (argument === undefined) {
    for (const { index, hardwareType } of others) if (hardwareType === ethernet) setLinkUp(calls, index);
    return;
  }
  const link = others.find(({ name }) => name === (argument.device ?? others[0]?.name));
  if (link === undefined) {
    const names = others.map(({ name }) => name).join(', ') || 'none';
    throw new Fault('not-found', `no network device ${argument.device ?? ''} for ip=: there are ${names}`);
  }
  setLinkUp(calls, link.index);
  addAddress(calls, link.index, { address: bytesOf(argument.address), prefixLength: argument.prefixLength });
  if (argument.gateway !== undefined) addDefaultRoute(calls, link.index, bytesOf(argument.gateway));
}

function refuseAdvertisements(linkName: string, setParameter: SetParameter): void {
  try {
    setParameter(`/proc/sys/net/ipv6/conf/${linkName}/accept_ra`, '0');
  } catch (error) {
    // A kernel without IPv6, and a link without it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const bytesOf = (address: string) => Buffer.from(address.split('.').map(Number));
