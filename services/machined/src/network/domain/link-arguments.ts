// The arguments `vlan=` and `bond=` of the kernel's command line. Source: dracut.cmdline(7); Talos v1.14: kernel command line.
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import { parseBondOptions } from './bond-argument.ts';
import { deviceForm } from './ip-argument.ts';
import { plainLink } from './link-documents.ts';
import { isLinkName, shownLine } from './link-plan/shown-name.ts';
import { vlanLinkName } from './vlan-name.ts';

/** The kernel's command line has 2048 bytes, but that of a hypervisor may have more. */
const maxArguments = 64;
/** The smallest that IPv4 allows, and the largest of any Ethernet device. */
const mtuLimits = { least: 68, most: 65_535 } as const;
const mostVlan = 4094;
const layer = 'cmdline';

/** The links that the command line makes. */
export interface LinkArguments {
  /** The links that are made, and those that they stand on or consist of. */
  readonly links: readonly LinkSpecSpec[];
  /** Names of VLANs as they are written, with their own names. */
  readonly writtenNames: ReadonlyMap<string, string>;
  /** Links below a VLAN, of which nothing else is said. */
  readonly carriers: ReadonlySet<string>;
  /** What is wrong, in one line each. A wrong argument does not affect the others. */
  readonly problems: readonly string[];
}

/**
 * Reads the arguments `vlan=` and `bond=` of the kernel's command line, 64 of each at most. On purpose unlike upstream all of them count.
 * Of several for one link the last one counts.
 */
export function parseLinkArguments(commandLine: string): LinkArguments {
  const words = commandLine.trim().split(/\s+/);
  const problems: string[] = [];
  const valuesOf = (name: string): string[] => {
    const values = words
      .filter((word) => word === name || word.startsWith(`${name}=`))
      .map((word) => word.slice(name.length + 1));
    if (values.length > maxArguments)
      problems.push(`there are ${values.length} arguments ${name}=: all after ${maxArguments} are ignored`);
    return values.slice(0, maxArguments);
  };
  const parsed = <T>(name: string, parse: (value: string) => T): T[] =>
    valuesOf(name).flatMap((value) => {
      try {
        return [parse(value)];
      } catch (error) {
        problems.push(`${name}=${value}: ${(error as Error).message}`);
        return [];
      }
    });
  const bonds = new Map(parsed('bond', parseBond).map((bond) => [bond.name, bond]));
  const vlans = new Map(parsed('vlan', parseVlan).map((vlan) => [vlan.spec.name, vlan]));
  const made = [
    ...[...bonds.values()].map(({ spec }) => spec),
    ...[...vlans.values()].map(({ spec }) => spec),
  ];
  const isMade = new Set(made.map(({ name }) => name));
  const members = [...bonds.values()].flatMap(membersOf);
  const isMember = new Set(members.map(({ name }) => name));
  const carriers = new Set(
    [...vlans.values()]
      .map(({ spec }) => spec.parentName)
      .filter((name) => !isMade.has(name) && !isMember.has(name)),
  );
  return {
    links: [...made, ...members, ...[...carriers].map((name) => ({ ...plainLink(name, layer), up: true }))],
    writtenNames: new Map([...vlans.values()].map(({ written, spec }) => [written, spec.name])),
    carriers,
    problems: problems.map(shownLine),
  };
}

const madeLink = (name: string, kind: string): LinkSpecSpec => ({
  ...{ ...plainLink(name, layer), logical: true, up: true, type: 'ether', kind },
});

interface Bond {
  readonly name: string;
  readonly members: readonly string[];
  readonly spec: LinkSpecSpec;
}

/**
 * `<name>[:<links>[:<options>[:<mtu>]]]`. Without a name it is bond0, and without links eth0 and eth1 are its links.
 *
 * @throws Error that says what is wrong
 */
function parseBond(value: string): Bond {
  const [name = '', links = '', options = '', mtu = '', ...more] = value.split(':');
  if (more.length > 0) throw new Error('write bond=<name>:<links>:<options>:<mtu>');
  const given = [...new Set(links.split(',').filter((link) => link !== ''))];
  const bond = name === '' ? 'bond0' : name;
  const members = given.length === 0 ? ['eth0', 'eth1'] : given;
  if (!isName(bond)) throw new Error(`"${bond}" is not a name that a link can have`);
  const wrong = members.find((member) => !deviceForm.test(member) || member === bond);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not the name of a network device`);
  return {
    ...{ name: bond, members },
    spec: {
      ...{ ...madeLink(bond, 'bond'), mtu: mtuOf(mtu) },
      bondMaster: parseBondOptions(options, members),
    },
  };
}

const isName = (name: string) => deviceForm.test(name) && isLinkName(name);

function mtuOf(text: string): number {
  if (text === '') return 0;
  const { least, most } = mtuLimits;
  if (/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new Error(`MTU "${text}" is not a number from ${least} to ${most}`);
}

const membersOf = ({ name, members }: Bond): LinkSpecSpec[] =>
  members.map((member, slaveIndex) => ({
    ...{ ...plainLink(member, layer), up: true, bondSlave: { masterName: name, slaveIndex } },
  }));

interface Vlan {
  readonly written: string;
  readonly spec: LinkSpecSpec;
}

/**
 * `<name>:<link>`, where the name ends with the number of the VLAN, as in `eth0.5`, `eth0.0005`, `vlan5` and `vlan0005`. The link itself
 * is always named after the link below it.
 *
 * @throws Error that says what is wrong
 */
function parseVlan(value: string): Vlan {
  const [written = '', parentName = '', ...more] = value.split(':');
  if (more.length > 0 || parentName === '')
    throw new Error('write vlan=<name>:<link>, such as vlan=eth0.5:eth0');
  if (!deviceForm.test(parentName)) throw new Error(`"${parentName}" is not the name of a network device`);
  const [, digits] = /^(?:vlan|[\w.@+-]{1,127}\.)(\d{1,4})$/.exec(written) ?? [];
  const vlanID = Number(digits);
  if (digits === undefined || vlanID < 1 || vlanID > mostVlan)
    throw new Error(
      `"${written}" does not end with the number of a VLAN from 1 to ${mostVlan}, as eth0.5 and vlan5 do`,
    );
  return {
    written,
    spec: {
      ...{ ...madeLink(vlanLinkName(parentName, vlanID), 'vlan'), parentName },
      vlan: { vlanID, vlanProtocol: '802.1q' },
    },
  };
}
