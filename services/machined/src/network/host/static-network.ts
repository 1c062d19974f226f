import { Fault } from '@nodewright/fault';
import { addAddress, addDefaultRoute, type NativeCalls, readLinks, setLinkUp } from '@nodewright/linux';
import type { IpArgument } from '../domain/ip-argument.ts';

const loopback = 'lo';

/**
 * Sets the loopback device up and, if there is one, applies the static configuration of the kernel's command line.
 *
 * @throws Fault `not-found` without the device, `unavailable` when the kernel refuses
 */
export function setUpNetwork(calls: NativeCalls, argument: IpArgument | undefined): void {
  const links = readLinks(calls);
  const loopbackIndex = links.find(({ name }) => name === loopback)?.index;
  if (loopbackIndex !== undefined) setLinkUp(calls, loopbackIndex);
  if (argument === undefined) return;
  const others = links.filter(({ name }) => name !== loopback);
  const link = others.find(({ name }) => name === (argument.device ?? others[0]?.name));
  if (link === undefined) {
    const names = others.map(({ name }) => name).join(', ') || 'none';
    throw new Fault('not-found', `no network device ${argument.device ?? ''} for ip=: there are ${names}`);
  }
  setLinkUp(calls, link.index);
  addAddress(calls, link.index, { address: bytesOf(argument.address), prefixLength: argument.prefixLength });
  if (argument.gateway !== undefined) addDefaultRoute(calls, link.index, bytesOf(argument.gateway));
}

const bytesOf = (address: string) => Buffer.from(address.split('.').map(Number));
