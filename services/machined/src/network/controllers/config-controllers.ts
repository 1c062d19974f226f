// Publishes the links, addresses, routes, rules, DHCP clients and probes of the configuration and of the
// defaults. A machine applies the links, addresses, routes and rules (planned-network.ts) and runs virtual addresses and DHCP.
import { type Controller, type ReconcilePass, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import {
  addressSpecs,
  type LinkSpecSpec,
  linkSpecs,
  linkStatuses,
  type OperatorSpecSpec,
  operatorSpecs,
  probeSpecs,
  routeSpecs,
  routingRuleSpecs,
} from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import type { World } from '../../base/domain/world.ts';
import { addressSpecsOf, linkAddress } from '../domain/address-documents.ts';
import type { CommandLineLinks } from '../domain/command-line-links.ts';
import {
  deviceAddresses,
  deviceLinks,
  deviceOperators,
  deviceRoutes,
  deviceVips,
  expandEntries,
  isPhysicalLink,
  type PresentLink,
} from '../domain/device-configs.ts';
import { findLink } from '../domain/find-link.ts';
import { linkSpecsOf, plainLink } from '../domain/link-documents.ts';
import { withRealNames } from '../domain/link-names.ts';
import { type Layer, mergeLinks } from '../domain/merge-layers.ts';
import { addressId, operatorId, probeId, routeId, ruleId } from '../domain/network-ids.ts';
import {
  operatorSpecsOf,
  plainOperator,
  probeSpecsOf,
  vipOperatorSpecsOf,
} from '../domain/operator-documents.ts';
import { defaultMetric, routeSpecsOf, routingRuleSpecsOf } from '../domain/route-documents.ts';
import { createConfiguredSpecsController } from './configured-specs.ts';
import { createDeviceConfigController, presentLinks } from './device-config.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';

/** Source: Talos v1.14: COSI resources, network; the controllers of the configuration. */
export function networkConfigControllers(
  { ownsNetwork }: Pick<World, 'ownsNetwork'>,
  { operators, ignored, carriers }: CommandLineLinks,
  problems: NetworkProblems,
): Controller[] {
  // In other worlds the creator of the environment manages links, addresses and leases.
  const hasDefaults = ownsNetwork;
  return [
    createDeviceConfigController(problems),
    createConfiguredSpecsController({
      name: 'network.LinkConfigController',
      kind: linkSpecs,
      idOf: ({ name }) => name,
      hasDevices: true,
      extraInputs: [weak(linkStatuses)],
      specsOf: async (reader, devices, pass) => {
        // The settings of a link and its membership in another link are one spec.
        const links = await presentLinks(pass);
        const specs = [...deviceLinks(devices, links), ...linkSpecsOf(reader)];
        const named = links.map(({ name, spec }) => ({ ...spec, name }));
        const configured = mergeLinks(withRealNames(specs, named)).map(({ spec }) => spec);
        const defaults = hasDefaults ? await defaultLinks(pass, ignored) : [];
        return [...defaults, ...configured];
      },
    }),
    createConfiguredSpecsController({
      name: 'network.AddressConfigController',
      kind: addressSpecs,
      idOf: ({ linkName, address }) => addressId(linkName, address),
      hasDevices: true,
      specsOf: (reader, devices) => [
        ...(hasDefaults ? [linkAddress('lo', '127.0.0.1/8', 'default')] : []),
        ...deviceAddresses(devices),
        ...addressSpecsOf(reader),
      ],
    }),
    createConfiguredSpecsController({
      name: 'network.RouteConfigController',
      kind: routeSpecs,
      idOf: routeId,
      hasDevices: true,
      specsOf: (reader, devices) => [...deviceRoutes(devices), ...routeSpecsOf(reader)],
    }),
    createConfiguredSpecsController({
      name: 'network.RoutingRuleConfigController',
      kind: routingRuleSpecs,
      idOf: ({ family, priority }) => ruleId(family, priority),
      specsOf: routingRuleSpecsOf,
    }),
    createConfiguredSpecsController({
      name: 'network.OperatorConfigController',
      kind: operatorSpecs,
      idOf: operatorId,
      hasDevices: true,
      extraInputs: [weak(linkStatuses), weak(inLayers(linkSpecs))],
      specsOf: async (reader, devices, pass) => {
        const realName = realNameIn(await presentLinks(pass));
        const isIgnored = ignoredIn(realName, ignored);
        const specs = [
          ...(hasDefaults ? operators : []),
          ...deviceOperators(devices).filter(({ linkName }) => !isIgnored(linkName)),
          ...operatorSpecsOf(reader),
        ].map((spec) => ({ ...spec, linkName: realName(spec.linkName) }));
        const defaults = hasDefaults
          ? await defaultOperators(pass, { ignored, carriers }, operators.length > 0)
          : [];
        return [...defaults, ...specs];
      },
    }),
    createConfiguredSpecsController({
      name: 'network.OperatorVIPConfigController',
      kind: operatorSpecs,
      idOf: operatorId,
      hasDevices: true,
      extraInputs: [weak(linkStatuses)],
      specsOf: async (reader, devices, pass) => {
        const realName = realNameIn(await presentLinks(pass));
        const isIgnored = ignoredIn(realName, ignored);
        return [
          ...deviceVips(devices).filter(({ linkName }) => !isIgnored(linkName)),
          ...vipOperatorSpecsOf(reader),
        ].map((spec) => ({ ...spec, linkName: realName(spec.linkName) }));
      },
    }),
    createConfiguredSpecsController({
      name: 'network.ProbeConfigController',
      kind: probeSpecs,
      idOf: probeId,
      specsOf: probeSpecsOf,
    }),
  ];
}

type Ignored = CommandLineLinks['ignored'];

type RealName = (name: string) => string;

/** From a name, an alias or an alternative name of a link to its own name. Names of links that do not exist stay. */
function realNameIn(links: readonly PresentLink[]): RealName {
  const named = links.map(({ name, spec: { alias, altNames } }) => ({ name, alias, altNames }));
  return (name) => findLink(named, name)?.name ?? name;
}

/** Whether the command line says that a link is to be ignored. */
function ignoredIn(realName: RealName, ignored: Ignored): (linkName: string) => boolean {
  const names = new Set([...ignored].map(realName));
  return (linkName) => names.has(realName(linkName));
}

/**
 * The loopback device, and without any network configuration every hardware link. Source: Talos v1.14:
 * network, default layer.
 */
async function defaultLinks(pass: ReconcilePass, ignored: Ignored): Promise<LinkSpecSpec[]> {
  const names = ['lo', ...(await linksWithDefaults(pass, ignored))];
  return names.map((name) => ({ ...plainLink(name, 'default'), up: true }));
}

/** The layers whose links get no DHCP by default. Source: Talos v1.14: network, operators. */
const layersOfOwnLinks: readonly Layer[] = ['cmdline', 'platform', 'configuration'];

/**
 * Clients of links that nobody has configured. On purpose unlike upstream, where all of them have metric 1024, each has another one, in
 * the order of the links, because the kernel has one route for a destination and a metric. Beside links that somebody has configured they
 * begin at 2048, so that none of their routes replaces one of those.
 *
 * @param hasOthers whether the command line asks for other clients
 */
async function defaultOperators(
  pass: ReconcilePass,
  { ignored, carriers }: Pick<CommandLineLinks, 'ignored' | 'carriers'>,
  hasOthers: boolean,
): Promise<OperatorSpecSpec[]> {
  const realName = realNameIn(await presentLinks(pass));
  const mentioned = new Set(
    (await pass.list(inLayers(linkSpecs)))
      .filter(({ spec }) => layersOfOwnLinks.includes(spec.layer))
      .filter(({ spec }) => spec.layer !== 'cmdline' || !carriers.has(spec.name))
      .map(({ spec }) => realName(spec.name)),
  );
  const firstMetric = hasOthers || mentioned.size > 0 ? 2 * defaultMetric : defaultMetric;
  return (await linksWithDefaults(pass, ignored))
    .filter((name) => !mentioned.has(name))
    .map((name, position) => {
      const operator = plainOperator('dhcp4', name, 'default');
      const clientIdentifier = { clientIdentifier: 'mac', duidRawHex: '' } as const;
      const routeMetric = firstMetric + position;
      return { ...operator, dhcp4: { ...operator.dhcp4, routeMetric, clientIdentifier } };
    });
}

/** In the order of the links: DHCP on hardware links that the old list does not name, as long as no document is about links. */
async function linksWithDefaults(pass: ReconcilePass, ignored: Ignored): Promise<string[]> {
  const configuration = await configurationOf(pass);
  if (configuration !== undefined && !configuration.effective.usesDefaultDhcp) return [];
  const links = await presentLinks(pass);
  const reader = configuration && new ConfigReader(configuration.documents);
  const entries = reader?.legacy.items('machine', 'network', 'interfaces') ?? [];
  const realName = realNameIn(links);
  const named = new Set(expandEntries(entries, links).devices.map(({ name }) => realName(name)));
  const isIgnored = ignoredIn(realName, ignored);
  return links
    .filter(({ name, spec }) => isPhysicalLink(spec) && !named.has(name) && !isIgnored(name))
    .sort((a, b) => a.spec.index - b.spec.index)
    .map(({ name }) => name);
}
