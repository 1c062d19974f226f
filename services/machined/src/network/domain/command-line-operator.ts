import type { LinkStatusSpec, RouteSpecSpec } from '@nodewright/state/kinds';
import { holds, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';
import { linkAddress } from './address-documents.ts';
import { isPhysicalLink } from './device-configs.ts';
import { parseHostname } from './hostname.ts';
import { type IpArgument, type IpArguments, parseIpArguments } from './ip-argument.ts';
import { plainLink } from './link-documents.ts';
import { resolverSpec } from './name-servers.ts';
import type { NetworkOperator, OperatorEvents, OperatorOutput } from './operator.ts';
import { defaultMetric, plainRoute } from './route-documents.ts';

const layer = 'cmdline';
const loopback = 'lo';

/** The arguments `ip=` of the kernel's command line, as an operator. */
export class CommandLineOperator implements NetworkOperator {
  readonly #given: IpArguments;
  /** Devices that appear later do not move an address. */
  #firstDevice: string | undefined;
  #deviceProblems: readonly string[] = [];

  constructor(commandLine: string) {
    this.#given = parseIpArguments(commandLine);
  }

  /** All addresses that it gives, in their order, without prefix lengths. */
  addresses(): string[] {
    return this.#given.all.map(({ argument }) => argument.address);
  }

  /** Nothing but the links changes what it wants. */
  watch(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  react({ links }: Pick<OperatorEvents, 'links'>): void {
    if (links.size === 0) return;
    this.#firstDevice ??= [...links].find(([, spec]) => isPhysicalLink(spec))?.[0];
    this.#deviceProblems = missingDevices(this.#given, links, this.#firstDevice);
  }

  outputs(): readonly OperatorOutput[] {
    return [commandLineOutput(this.#given, this.#firstDevice)];
  }

  problems(): readonly string[] {
    const { all, problems } = this.#given;
    const isMissing = all.length + problems.length === 0;
    return [...(isMissing ? ["ip= is not on the kernel's command line"] : problems), ...this.#deviceProblems];
  }
}

function missingDevices(
  { all }: IpArguments,
  links: ReadonlyMap<string, LinkStatusSpec>,
  firstDevice: string | undefined,
): string[] {
  const present = [...links].filter(([name]) => name !== loopback);
  const known = present.flatMap(([name, { alias, altNames }]) => [name, alias, ...altNames]);
  const names = present.map(([name]) => name).join(', ') || 'none';
  return all.flatMap(({ argument: { device } }) => {
    const name = device ?? firstDevice;
    if (name !== undefined && known.includes(name)) return [];
    return [`no network device ${device ?? ''} for ip=: there are ${names}`];
  });
}

/**
 * The specifications of `ip=`. Of several, each gateway has a metric of its own, and the first host name counts.
 *
 * @param firstDevice of arguments that name no device; without it they wait
 */
export function commandLineOutput({ all }: IpArguments, firstDevice: string | undefined): OperatorOutput {
  const placed = all.flatMap(({ position, argument }) => {
    const device = argument.device ?? firstDevice;
    return device === undefined ? [] : [{ device, position, argument }];
  });
  const arguments_ = all.map(({ argument }) => argument);
  const hostname = arguments_.find((argument) => argument.hostname !== undefined)?.hostname;
  const nameServers = unique(arguments_.flatMap((argument) => argument.nameServers));
  const timeServers = unique(arguments_.flatMap((argument) => argument.timeServers));
  return {
    prefix: layer,
    addresses: placed.map(({ device, argument }) => linkAddress(device, prefixText(argument), layer)),
    links: unique(placed.map(({ device }) => device)).map((name) => ({
      ...plainLink(name, layer),
      up: true,
    })),
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
