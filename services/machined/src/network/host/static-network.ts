import { Fault, faultFrom } from '@nodewright/fault';
import {
  addAddress,
  addDefaultRoute,
  type KernelLink,
  type NativeCalls,
  readLinks,
  setLinkUp,
} from '@nodewright/linux';
import { type IpArgument, parseIpArgument } from '../domain/ip-argument.ts';

const loopback = 'lo';
/** `ARPHRD_ETHER` of <linux/if_arp.h>. */
const ethernet = 1;

/** Sets a parameter of the kernel. @throws Error of Node.js */
export type SetParameter = (path: string, value: string) => void;

/** The network of a machine after its set-up. */
export interface NetworkSetUp {
  /** The address of `ip=`; undefined when the machine did not get one. */
  readonly address: string | undefined;
  /** What failed, in one line; undefined when all that the command line asks for was done. */
  readonly problem: string | undefined;
}

/**
 * Sets the loopback device up and applies the static configuration of the kernel's command line. When the machine gets no
 * address by it, every Ethernet link comes up, so that its lamp, its switch and the node's own status show whether there is a
 * cable. What fails for one link changes nothing for the others.
 * No link takes addresses or routes from the advertisements of routers: the command line asks for IPv4 only, and any neighbour can send
 * advertisements. `net.ipv6.conf.<link>.accept_ra` of the configuration switches them on for a link. A link for which
 * they cannot be switched off stays down.
 *
 * @param commandLine of the kernel
 * @returns also what failed; nothing is thrown, because the console still has to show it
 */
export function setUpNetwork(
  calls: NativeCalls,
  commandLine: string,
  setParameter: SetParameter,
): NetworkSetUp {
  const steps = new Steps();
  const argument = steps.try('', () => readIpArgument(commandLine));
  const links = steps.try('the links cannot be read: ', () => readLinks(calls)) ?? [];
  const bringUp = ({ name, index }: KernelLink) =>
    steps.succeeds(`link ${name} does not come up: `, () => setLinkUp(calls, index));
  for (const link of links.filter(({ name }) => name === loopback)) bringUp(link);
  const refuse = (name: string, whose = `link ${name} stays down, its`) =>
    steps.succeeds(`${whose} advertisements of routers cannot be refused: `, () =>
      refuseAdvertisements(name, setParameter),
    );
  // Links that appear later have the value of `default`, which goes first, so that none is missed.
  refuse('default', 'for links that appear later,');
  const others = links.filter(({ name }) => name !== loopback);
  const allowed = others.filter(({ name }) => refuse(name));
  const chosen = argument && steps.try('', () => linkOf(argument, others));
  const hasComeUp = chosen !== undefined && allowed.includes(chosen) && bringUp(chosen);
  const address = argument && hasComeUp ? configure(calls, chosen, argument, steps) : undefined;
  if (address === undefined)
    for (const link of allowed) if (link !== chosen && link.hardwareType === ethernet) bringUp(link);
  return { address, problem: steps.problem };
}

/** The address that the link has now, also when the kernel refuses its gateway. */
function configure(
  calls: NativeCalls,
  { name, index }: KernelLink,
  { address, prefixLength, gateway }: IpArgument,
  steps: Steps,
): string | undefined {
  const hasAddress = steps.succeeds(`link ${name} does not take the address ${address} of ip=: `, () =>
    addAddress(calls, index, { address: bytesOf(address), prefixLength }),
  );
  if (!hasAddress) return undefined;
  if (gateway !== undefined)
    steps.succeeds(`the gateway ${gateway} of ip= is refused: `, () =>
      addDefaultRoute(calls, index, bytesOf(gateway)),
    );
  return address;
}

/** Steps that are taken although others fail, and what failed. */
class Steps {
  /** A machine may have hundreds of links that fail for the same reason. */
  static readonly #maxShown = 8;
  readonly #problems: string[] = [];

  /** The result of a step; undefined when it failed. */
  try<T>(problem: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      this.#problems.push(`${problem}${faultFrom(error).message}`);
      return undefined;
    }
  }

  succeeds(problem: string, step: () => void): boolean {
    const done = () => {
      step();
      return true;
    };
    return this.try(problem, done) ?? false;
  }

  get problem(): string | undefined {
    if (this.#problems.length === 0) return undefined;
    const more = this.#problems.length - Steps.#maxShown;
    return [...this.#problems.slice(0, Steps.#maxShown), ...(more > 0 ? [`and ${more} more`] : [])].join(
      '; ',
    );
  }
}

/** @throws Error as `parseIpArgument()`; Fault `not-found` when there is no address to set */
function readIpArgument(commandLine: string): IpArgument {
  const word = commandLine
    .trim()
    .split(/\s+/)
    .findLast((one) => one.startsWith('ip='));
  const argument = parseIpArgument(word?.slice('ip='.length) ?? '');
  if (argument === undefined) throw new Fault('not-found', "ip= is not on the kernel's command line");
  return argument;
}

/** @throws Fault `not-found` without the device */
function linkOf({ device }: IpArgument, links: readonly KernelLink[]): KernelLink {
  const link = links.find(({ name }) => name === (device ?? links[0]?.name));
  if (link !== undefined) return link;
  const names = links.map(({ name }) => name).join(', ') || 'none';
  throw new Fault('not-found', `no network device ${device ?? ''} for ip=: there are ${names}`);
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
