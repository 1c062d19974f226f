// All that the kernel's command line says of the network, but for the links that are ignored.
import { hostnameForm, type IpArguments, parseIpArguments } from './ip-argument.ts';
import { type LinkArguments, parseLinkArguments } from './link-arguments.ts';
import { shownLine } from './link-plan/shown-name.ts';

export interface CommandLineNetwork {
  readonly ip: IpArguments;
  readonly links: LinkArguments;
  /** Of `talos.hostname`, which has precedence over the host name in `ip=`. */
  readonly hostname: string | undefined;
  /** What is wrong with `talos.hostname`, in one line each. */
  readonly hostnameProblems: readonly string[];
}

const hostnameArgument = 'talos.hostname=';
const maxShown = 80;

/**
 * Reads the command line. `ip=` may name a VLAN as `vlan=` has written it. Of several `talos.hostname` the first valid one counts. Source:
 * Talos v1.14: kernel command line.
 */
export function parseCommandLineNetwork(commandLine: string): CommandLineNetwork {
  const links = parseLinkArguments(commandLine);
  const own = (name: string) => links.writtenNames.get(name) ?? name;
  const { all, dhcpLinks, ...rest } = parseIpArguments(commandLine);
  const hostnames = commandLine
    .trim()
    .split(/\s+/)
    .filter((word) => word.startsWith(hostnameArgument))
    .map((word) => word.slice(hostnameArgument.length))
    .filter((name) => name !== '');
  const wrong = hostnames.filter((name) => !hostnameForm.test(name));
  return {
    ip: {
      ...rest,
      all: all.map(({ position, argument }) => ({
        position,
        argument: argument.device === undefined ? argument : { ...argument, device: own(argument.device) },
      })),
      dhcpLinks: [...new Set(dhcpLinks.map(own))],
    },
    links,
    hostname: hostnames.find((name) => hostnameForm.test(name)),
    hostnameProblems: wrong
      .slice(0, 1)
      .map((name) => shownLine(`${hostnameArgument}${name.slice(0, maxShown)} is not a host name`)),
  };
}
