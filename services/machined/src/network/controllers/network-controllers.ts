import type { Controller } from '@nodewright/controllers';
import {
  addressSpecs,
  hostnameSpecs,
  linkSpecs,
  operatorSpecs,
  probeSpecs,
  type RouteSpecSpec,
  resolverSpecs,
  routeSpecs,
  routingRuleSpecs,
  timeServerSpecs,
} from '@nodewright/state/kinds';
import type { NodeFacts } from '../../base/domain/node-facts.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import { type CommandLineLinks, noCommandLineLinks } from '../domain/command-line-links.ts';
import {
  mergeHighest,
  mergeHostnames,
  mergeLinks,
  mergeResolvers,
  mergeTimeServers,
} from '../domain/merge-layers.ts';
import { addressId, operatorId, probeId, routeId, ruleId } from '../domain/network-ids.ts';
import { createAddressDiagnosticsController } from './address-diagnostics.ts';
import { createAddressEventController } from './address-event.ts';
import { createAddressFilterController } from './address-filter.ts';
import { createAddressStatusController } from './address-status.ts';
import { networkConfigControllers } from './config-controllers.ts';
import { createEtcFileController } from './etc-file.ts';
import { createEthernetConfigController } from './ethernet-config.ts';
import { createEthernetStatusController } from './ethernet-status.ts';
import { createHardwareAddrController } from './hardware-addr.ts';
import { createHostDnsConfigController } from './host-dns-config.ts';
import { createHostnameConfigController } from './hostname-config.ts';
import { createHostnameSpecController, type HostnameEffect } from './hostname-spec.ts';
import type { LinkHardwareSource } from './link-hardware-source.ts';
import { createLinkStatusController } from './link-status.ts';
import { createMergeController } from './merge-controller.ts';
import { createNetworkStatusController } from './network-status.ts';
import { createNodeAddressController } from './node-address.ts';
import { createNodeAddressSortAlgorithmController } from './node-address-sort-algorithm.ts';
import { createNodenameController } from './nodename.ts';
import { type OpenNetwork, openOnce } from './open-kernel-watch.ts';
import { createOperatorSpecController, type OperatorSpecInit } from './operator-spec.ts';
import { type PlannedNetworkInit, plannedNetworkControllers } from './planned-network.ts';
import { createPlatformConfigController } from './platform-config.ts';
import { createPlatformConfigApplyController } from './platform-config-apply.ts';
import { createPodResolverController, type PodResolverEffect } from './pod-resolver.ts';
import { createResolverConfigController } from './resolver-config.ts';
import { createResolverSpecController } from './resolver-spec.ts';
import { createRouteStatusController } from './route-status.ts';
import { createRoutingRuleStatusController } from './routing-rule-status.ts';
import { createSpecExplanationController } from './spec-explanation.ts';
import { createStaticHostController } from './static-host.ts';
import { createTimeServerConfigController } from './time-server-config.ts';
import { createTimeServerSpecController } from './time-server-spec.ts';

export interface NetworkControllersInit extends Pick<NodeFacts, 'world' | 'addresses'>, OperatorSpecInit {
  /** The hostname that the node got at its creation; empty without one. */
  readonly hostname: string;
  /** Opens the kernel's network, at the first use. */
  readonly network: OpenNetwork;
  readonly linkHardware: LinkHardwareSource;
  /** Reads `/etc/resolv.conf` of the environment; empty when there is none. */
  readonly readResolvConf: () => Promise<string>;
  /** The platform's name for this kind of machine; empty if unknown. */
  readonly instanceType: string;
  /** Sets the host name of the kernel; undefined on a node that shares its kernel with others. */
  readonly hostnameEffect?: HostnameEffect | undefined;
  /** What the kernel's command line says of links. */
  readonly commandLineLinks?: CommandLineLinks | undefined;
  /** Changes the kernel's network; undefined on a node that must not. */
  readonly planned?: PlannedNetworkInit | undefined;
  /** Writes the `resolv.conf` of pods; undefined on a node that runs none. */
  readonly podResolverEffect?: PodResolverEffect | undefined;
  readonly publish: (event: NodeEvent) => void;
}

/**
 * The network state of the node and its network configuration. The kernel of a machine gets what all layers name. Source:
 * Talos v1.14: COSI resources, network.
 */
export function networkControllers(init: NetworkControllersInit): Controller[] {
  const { world, addresses, hostname, publish } = init;
  const network = openOnce(init.network);
  const readResolvConf = world.ownsNetwork ? async () => '' : init.readResolvConf;
  const pods = init.podResolverEffect;
  return [
    createLinkStatusController(network, init.linkHardware),
    createAddressStatusController(network),
    createRouteStatusController(network),
    createRoutingRuleStatusController(network),
    createHardwareAddrController(),
    createPlatformConfigController({
      read: async () => ({
        ...{ world, addresses, hostname, instanceType: init.instanceType },
        resolvConf: await readResolvConf(),
      }),
      readsMeta: world.ownsNetwork,
    }),
    createPlatformConfigApplyController(),
    createHostnameConfigController(),
    createHostnameSpecController(init.hostnameEffect),
    createResolverConfigController(),
    createResolverSpecController(),
    createTimeServerConfigController(),
    createTimeServerSpecController(),
    createHostDnsConfigController(false),
    createStaticHostController(),
    createEtcFileController(),
    ...(pods === undefined
      ? []
      : [createPodResolverController({ effect: pods, readResolvConf, isContainer: !world.ownsNetwork })]),
    createNodeAddressSortAlgorithmController(),
    createAddressFilterController(),
    createNodeAddressController({ given: addresses, isGivenAll: !world.ownsAddresses }),
    createNodenameController(),
    createNetworkStatusController(!world.ownsAddresses),
    createAddressEventController(publish),
    ...(world.ownsNetwork ? [createAddressDiagnosticsController(init.problems)] : []),
    createOperatorSpecController(init),
    createSpecExplanationController({
      problems: init.problems,
      unmanaged:
        init.planned === undefined
          ? `this node is ${world.description}: it changes no links, addresses or routes`
          : '',
      platformSource: world.ownsNetwork ? 'META 0x0a' : 'platform',
    }),
    createEthernetConfigController(),
    ...(world.ownsNetwork ? [createEthernetStatusController(network)] : []),
    ...(init.planned === undefined
      ? []
      : plannedNetworkControllers({ ...init.planned, network, problems: init.problems })),
    ...networkConfigControllers(world, init.commandLineLinks ?? noCommandLineLinks, init.problems),
    ...mergeControllers(),
  ];
}

/** One for each kind with layers. Source: Talos v1.14: COSI helpers, merge controllers. */
function mergeControllers(): Controller[] {
  return [
    createMergeController(
      addressSpecs,
      mergeHighest(({ linkName, address }) => addressId(linkName, address)),
    ),
    createMergeController(linkSpecs, mergeLinks),
    createMergeController(routeSpecs, mergeHighest<RouteSpecSpec>(routeId)),
    createMergeController(
      routingRuleSpecs,
      mergeHighest(({ family, priority }) => ruleId(family, priority)),
    ),
    createMergeController(operatorSpecs, mergeHighest(operatorId)),
    createMergeController(probeSpecs, mergeHighest(probeId)),
    createMergeController(hostnameSpecs, mergeHostnames),
    createMergeController(resolverSpecs, mergeResolvers),
    createMergeController(timeServerSpecs, mergeTimeServers),
  ];
}
