import type { KernelLink } from '@nodewright/linux/network';
import { parseHostname } from '@nodewright/node-files';
import type { RouteSpecSpec } from '@nodewright/state/kinds';
import { holds, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';
import { linkAddress } from './address-documents.ts';
import { type CommandLineNetwork, parseCommandLineNetwork } from './command-line-network.ts';
import type { GivenSetting } from './dhcp-specs.ts';
import { findLink, isHardware } from './find-link.ts';
import type { IpArgument } from './ip-argument.ts';
import { plainLink } from './link-documents.ts';
import { mergeLinks } from './merge-layers.ts';
import { resolverSpec } from './name-servers.ts';
import type { NetworkOperator, NetworkProblem, OperatorEvents, OperatorOutput } from './operator.ts';
import { defaultMetric, plainRoute } from './route-documents.ts';

const layer = 'cmdline';
const loopback = 'lo';

/** The arguments `ip=`, `vlan=`, `bond=` and `talos.hostname=` of the kernel's command line, as an operator. */
export class CommandLineOperator implements NetworkOperator {
  readonly #given: CommandLineNetwork;
  readonly #hasOther: () => boolean;
  /** For arguments that name no device. Devices that appear later do not move an address. */
  #firstDevice: FirstDevice | undefined;
  #links: readonly KernelLink[] = [];
  #deviceProblems: readonly string[] = [];

  /** @param hasOther whether something else asks for an address, so that none has to be on the command line */
  constructor(commandLine: string, hasOther: () => boolean = () => false) {
    this.#given = parseCommandLineNetwork(commandLine);
    this.#hasOther = hasOther;
  }

  /** Whether the command line gives an address to the link of this name, by this or another name of it. */
  hasLink(name: string): boolean {
    return this.#given.ip.all.some(({ argument }) => {
      const device = argument.device ?? this.#firstDevice?.name;
      return device !== undefined && (findLink(this.#links, device)?.name ?? device) === name;
    });
  }

  /** What it says besides addresses and routes. */
  given(): ReadonlySet<GivenSetting> {
    const output = commandLineOutput(this.#given, this.#firstDevice?.name);
    const settings = ['hostname', 'resolvers', 'timeServers'] as const;
    return new Set(settings.filter((setting) => output[setting] !== undefined));
  }

  /** All addresses that it gives, in their order, without prefix lengths. */
  addresses(): string[] {
    return this.#given.ip.all.map(({ argument }) => argument.address);
  }

  /** Nothing but the links changes what it wants. */
  watch(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  react({ kernelLinks }: Pick<OperatorEvents, 'kernelLinks'>): void {
    if (kernelLinks.length === 0) return;
    this.#links = kernelLinks;
    this.#firstDevice = firstDeviceOf(kernelLinks, this.#firstDevice);
    this.#deviceProblems = missingDevices(this.#given, kernelLinks, this.#firstDevice?.name);
  }

  outputs(): readonly OperatorOutput[] {
    return [commandLineOutput(this.#given, this.#firstDevice?.name)];
  }

  problems(): readonly NetworkProblem[] {
    const { ip, links, hostnameProblems } = this.#given;
    const { all, problems, partialProblems } = ip;
    const isMissing = all.length + problems.length === 0 && !this.#hasOther();
    const of = (subject: NetworkProblem['subject'], lines: readonly string[]) =>
      lines.map((line) => ({ subject, line }));
    return [
      ...(isMissing
        ? of('no-request', this.#links.length === 0 ? [] : [nothingAsks(this.#links)])
        : of('addresses', problems)),
      ...of('addresses', links.problems),
      ...of('others', [...partialProblems, ...hostnameProblems]),
      ...of('addresses', this.#deviceProblems),
    ];
  }
}

const nothingAsks = (links: readonly KernelLink[]) =>
  links.some(isHardware)
    ? "ip= is not on the kernel's command line, and no link asks a DHCP server"
    : 'there is no Ethernet device, or the image has no driver for it';

type FirstDevice = Pick<KernelLink, 'index' | 'name' | 'hardwareAddress'>;

/**
 * The hardware device with the lowest index, which is the one that the kernel found first. Once chosen it is followed when it gets
 * another name, and when it comes back after it was removed, with another index.
 */
function firstDeviceOf(
  links: readonly KernelLink[],
  chosen: FirstDevice | undefined,
): FirstDevice | undefined {
  const hardware = links.filter(isHardware).sort((a, b) => a.index - b.index);
  if (chosen === undefined) return hardware[0];
  const { index, hardwareAddress, name } = chosen;
  return (
    hardware.find((link) => link.index === index) ??
    hardware.find((link) => hardwareAddress !== '' && link.hardwareAddress === hardwareAddress) ??
    hardware.find((link) => link.name === name) ??
    chosen
  );
}

/** How many devices a problem names. */
const mostNames = 8;

/** The devices of `ip=`, and the members of bonds, that the machine lacks. Links that the command line makes are reported by their plan. */
function missingDevices(
  { ip: { all }, links: { links: named } }: CommandLineNetwork,
  links: readonly KernelLink[],
  firstDevice: string | undefined,
): string[] {
  const present = links.filter(({ name }) => name !== loopback);
  // Links of pods come and go, and each change of this line would be reported anew.
  const hardware = present
    .filter(isHardware)
    .map(({ name }) => name)
    .sort();
  const left = hardware.length - mostNames;
  const names = [...hardware.slice(0, mostNames), ...(left > 0 ? [`${left} more`] : [])].join(', ') || 'none';
  const made = new Set(named.filter(({ logical }) => logical).map(({ name }) => name));
  const isThere = (name: string) => made.has(name) || findLink(present, name) !== undefined;
  const ofIp = all.flatMap(({ argument: { device } }) => {
    const name = device ?? firstDevice;
    if (name !== undefined && isThere(name)) return [];
    return [`no network device ${device ?? ''} for ip=; devices of the hardware: ${names}`];
  });
  const ofBonds = named
    .filter(({ name, bondSlave }) => bondSlave.masterName !== '' && !isThere(name))
    .map(({ name }) => `no network device ${name} for bond=; devices of the hardware: ${names}`);
  return [...ofIp, ...ofBonds];
}

/**
 * The specifications of the command line. Of several `ip=`, each gateway has a metric of its own, and the first host name counts.
 *
 * @param firstDevice of arguments that name no device; without it they wait
 */
export function commandLineOutput(
  given: CommandLineNetwork,
  firstDevice: string | undefined,
): OperatorOutput {
  const { all } = given.ip;
  const placed = all.flatMap(({ position, argument }) => {
    const device = argument.device ?? firstDevice;
    return device === undefined ? [] : [{ device, position, argument }];
  });
  const arguments_ = all.map(({ argument }) => argument);
  const hostname = given.hostname ?? arguments_.find((argument) => argument.hostname !== undefined)?.hostname;
  const plain = unique(placed.map(({ device }) => device)).map((name) => ({
    ...{ ...plainLink(name, layer), up: true },
  }));
  const nameServers = unique(arguments_.flatMap((argument) => argument.nameServers));
  const timeServers = unique(arguments_.flatMap((argument) => argument.timeServers));
  return {
    prefix: layer,
    addresses: placed.map(({ device, argument }) => linkAddress(device, prefixText(argument), layer)),
    links: mergeLinks([...given.links.links, ...plain]).map(({ spec }) => spec),
    routes: placed.flatMap(({ device, position, argument }) => gatewayRoutes(device, position, argument)),
    hostname: hostname === undefined ? undefined : { ...parseHostname(hostname), layer },
    resolvers:
      nameServers.length === 0
        ? undefined
        : resolverSpec(
            layer,
            nameServers.map((addr) => ({ addr, protocol: 'Do53', tlsServerName: '' })),
          ),
    timeServers: timeServers.length === 0 ? undefined : { timeServers, useNTS: false, layer },
  };
}

const unique = (texts: readonly string[]) => [...new Set(texts)];
const prefixText = ({ address, prefixLength }: IpArgument) => `${address}/${prefixLength}`;

/** An IPv4 gateway outside of the network of the address gets a route of its own, without which the kernel refuses it. */
function gatewayRoutes(outLinkName: string, position: number, argument: IpArgument): RouteSpecSpec[] {
  const { address, gateway } = argument;
  if (gateway === undefined) return [];
  const family: RouteSpecSpec['family'] = address.includes(':') ? 'inet6' : 'inet4';
  const common: Omit<RouteSpecSpec, 'dst'> = {
    ...{ ...plainRoute, family, outLinkName, priority: defaultMetric + position },
    ...{ protocol: 'boot', layer },
  };
  const isInside = holds(parsePrefix(prefixText(argument)) as Prefix, parsePrefix(gateway) as Prefix);
  const toGateway: RouteSpecSpec = { ...common, dst: `${gateway}/32`, src: address, scope: 'link' };
  return [
    ...(family === 'inet4' && !isInside ? [toGateway] : []),
    { ...common, dst: '', gateway, scope: 'global' },
  ];
}
