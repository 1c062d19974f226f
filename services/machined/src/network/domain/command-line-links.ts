// What the kernel's command line says of links, besides addresses. Source: Talos v1.14: kernel command line.
import type { OperatorSpecSpec } from '@nodewright/state/kinds';
import { parseCommandLineNetwork } from './command-line-network.ts';
import { plainOperator } from './operator-documents.ts';
import { defaultMetric } from './route-documents.ts';

export interface CommandLineLinks {
  /** The DHCP clients that it asks for. */
  readonly operators: readonly OperatorSpecSpec[];
  /** The links that nothing but a document of the configuration brings up. */
  readonly ignored: ReadonlySet<string>;
  /** Links that are up only because a VLAN is on them: they ask a DHCP server by default, as if nothing named them. */
  readonly carriers: ReadonlySet<string>;
}

export const noCommandLineLinks: CommandLineLinks = {
  ...{ operators: [], ignored: new Set(), carriers: new Set() },
};

const ignoreArgument = 'talos.network.interface.ignore=';
/** The kernel's command line has 2048 bytes, but that of a hypervisor may have more. */
const mostIgnored = 256;

/** Reads `ip=<link>:dhcp`, `vlan=` and `talos.network.interface.ignore=<link>`, each as often as it is there. */
export function commandLineLinks(commandLine: string): CommandLineLinks {
  const ignored = commandLine
    .trim()
    .split(/\s+/)
    .filter((word) => word.startsWith(ignoreArgument))
    .map((word) => word.slice(ignoreArgument.length))
    .filter((name) => name !== '');
  const { ip, links } = parseCommandLineNetwork(commandLine);
  const addressed = new Set(ip.all.map(({ argument }) => argument.device));
  return {
    operators: ip.dhcpLinks.map((linkName) => {
      const operator = plainOperator('dhcp4', linkName, 'cmdline');
      return { ...operator, dhcp4: { ...operator.dhcp4, routeMetric: defaultMetric } };
    }),
    ignored: new Set(ignored.slice(0, mostIgnored)),
    carriers: new Set([...links.carriers].filter((name) => !addressed.has(name))),
  };
}
