import { systemTimers } from '@nodewright/async';
import { volumeIds, volumePath, volumeRow } from '@nodewright/contract/volumes';
import type { EtcdClient } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import { loadNativeCalls, watchAdvertisements } from '@nodewright/linux';
import { resolverFolder } from '@nodewright/node-files';
import type { KindRef, State } from '@nodewright/state';
import { addressSpecs, addressStatuses, linkSpecs, linkStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { DecodedConfiguration } from '../base/domain/machine-configuration.ts';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import type { SelectorEvaluator } from '../base/domain/selectors.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import type { EventStore } from '../life/host/event-store.ts';
import type { LinkHardwareSource } from './controllers/link-hardware-source.ts';
import { inLayers } from './controllers/network-config.ts';
import { networkControllers } from './controllers/network-controllers.ts';
import { NetworkProblems } from './controllers/network-problems.ts';
import type { PlannedNetworkInit } from './controllers/planned-network.ts';
import type { AcceptingLink } from './domain/accepting-links.ts';
import { commandLineLinks } from './domain/command-line-links.ts';
import { CommandLineOperator } from './domain/command-line-operator.ts';
import { lostAddresses } from './domain/lost-addresses.ts';
import { AdvertisementOperator } from './host/advertisement-operator.ts';
import { openAdvertisementPort } from './host/advertisement-port.ts';
import { createBorrowedAddress } from './host/borrowed-address.ts';
import { createPacketCapturer } from './host/capture-packets.ts';
import { openDhcpLeases } from './host/dhcp-leases.ts';
import { DhcpOperator } from './host/dhcp-operator.ts';
import { loadDhcpWires } from './host/dhcp-wire.ts';
import { Dhcp6Operator } from './host/dhcp6-operator.ts';
import { loadDhcp6Wires } from './host/dhcp6-wire.ts';
import { EndpointNames } from './host/endpoint-names.ts';
import { createEtcdCampaign } from './host/etcd-campaign.ts';
import { createKernelHostname } from './host/kernel-hostname.ts';
import { type KernelNetwork, openKernelNetwork } from './host/kernel-network.ts';
import { type SetParameter, setLinkParameters } from './host/link-parameters.ts';
import { type NetworkPort, openNetworkPort } from './host/network-port.ts';
import type { YieldLeadership } from './host/part-from-leader.ts';
import { createPodResolverFile } from './host/pod-resolver-file.ts';
import { VirtualAddressOperator } from './host/virtual-address-operator.ts';
import { VirtualAddresses } from './host/virtual-addresses.ts';
import { createNetstat } from './rpc/netstat.ts';
import { createPacketCapture } from './rpc/packet-capture.ts';

export interface OpenNetworkInit {
  readonly node: NodeFacts;
  readonly events: EventStore;
  readonly linkHardware: LinkHardwareSource;
  /** Evaluates the selectors of links. */
  readonly selectors: SelectorEvaluator;
  /** Why machined cannot change the network of its node, besides what its world says; `undefined` when it can. */
  readonly cannotChangeNetwork: string | undefined;
  /** Of the kernel; empty on a node that shares its kernel with others. */
  readonly commandLine: string;
  /** Sets a kernel parameter; undefined on a node that shares its kernel with others. */
  readonly setParameter: SetParameter | undefined;
  readonly hasKubelet: boolean;
  /** The node's root, without a trailing slash. */
  readonly root: string;
  /** Resolves when the volume STATE is mounted, or the signal aborts; undefined on a node whose volumes are folders. */
  readonly stateMounted?: (signal: AbortSignal) => Promise<unknown>;
  /** Connects to etcd of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  /** Of etcd, to another control plane. */
  readonly yieldLeadership: YieldLeadership;
  readonly hostname: () => string;
  /** Ends the captures when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export interface NetworkTopic extends Topic {
  /** Hands virtual addresses over to other nodes, for ever: this node ends. Resolves within some seconds. */
  releaseAddresses(): Promise<void>;
  /** The addresses that the node has now and would lose with the configuration. Undefined on a node that does not set its addresses. */
  readonly lostAddresses?: (state: State, next: DecodedConfiguration) => Promise<readonly string[]>;
}

/**
 * The node's network: links, addresses, routes and names of the kernel and of the configuration, and its
 * sockets. Virtual addresses are released when `scope` ends.
 *
 * @throws Fault `failed-precondition` when the add-on for system calls cannot be loaded on a node whose network machined changes
 */
export async function openNetwork(init: OpenNetworkInit, scope: AsyncDisposableStack): Promise<NetworkTopic> {
  const { node, events, linkHardware, hasKubelet, stopSignal, log, telemetry } = init;
  const { world, hostname } = node;
  const problems = new NetworkProblems();
  const changes = await openChanges(init);
  const virtual = typeof changes === 'string' ? changes : openVirtualAddresses(init, changes, scope);
  const planned = typeof changes === 'string' ? undefined : await planNetwork(init, changes, scope);
  const onMachine = planned?.operators;
  return {
    controllers: networkControllers({
      ...{ world, hostname, linkHardware, planned: planned?.network, problems },
      commandLineLinks: planned && commandLineLinks(init.commandLine),
      // The first address of the command line is the preferred one.
      addresses: [...node.addresses, ...(onMachine?.commandLine.addresses() ?? [])],
      network: openKernelNetwork,
      readResolvConf: async () => readIfThere('/etc/resolv.conf')?.toString() ?? '',
      instanceType: '',
      hostnameEffect: init.setParameter && createKernelHostname(init.setParameter),
      podResolverEffect: hasKubelet
        ? createPodResolverFile(`${init.root}${resolverFolder}/resolv.conf`)
        : undefined,
      operators: [
        ...(onMachine === undefined ? [] : Object.values(onMachine)),
        new VirtualAddressOperator({ virtual, hasKubelet }),
      ],
      publish: (event) => void events.publish(event),
    }),
    api: {
      'machine.MachineService': {
        ...createNetstat(telemetry),
        ...createPacketCapture({ capturer: createPacketCapturer(log), world, stopSignal }),
      },
    },
    ...(planned !== undefined && {
      lostAddresses: (state: State, next: DecodedConfiguration) =>
        readLostAddresses(state, commandLineLinks(init.commandLine).operators, next),
    }),
    async releaseAddresses() {
      if (typeof virtual !== 'string') await virtual[Symbol.asyncDispose]();
    },
  };
}

async function readLostAddresses(
  state: State,
  operators: readonly { readonly linkName: string }[],
  next: DecodedConfiguration,
): Promise<readonly string[]> {
  const listed = async <S>(kind: KindRef<S>) =>
    (await state.list(kind)).map(({ metadata, spec }) => ({ id: metadata.id, spec }));
  const links = (await listed(linkStatuses)).map(({ id, spec }) => ({ name: id, spec }));
  return lostAddresses(
    {
      ...{ addresses: await listed(inLayers(addressSpecs)), links: await listed(inLayers(linkSpecs)) },
      present: { links, addresses: (await listed(addressStatuses)).map(({ spec }) => spec) },
      dhcpOfCommandLine: operators.map(({ linkName }) => linkName),
    },
    next,
  );
}

/** The node's network, and the port that changes it. */
interface NetworkChanges {
  readonly kernel: KernelNetwork;
  readonly port: NetworkPort;
}

/** On a node that must not change its network, the reason. */
async function openChanges({ node, cannotChangeNetwork }: OpenNetworkInit): Promise<NetworkChanges | string> {
  const { networkSteps, description } = node.world;
  if (networkSteps.length === 0) return `it is ${description}, and does not change its links`;
  if (cannotChangeNetwork !== undefined) return cannotChangeNetwork;
  return { kernel: await openKernelNetwork(), port: await openNetworkPort(networkSteps) };
}

/** What competes for virtual addresses. */
function openVirtualAddresses(
  { openEtcd, yieldLeadership, hostname, log, telemetry }: OpenNetworkInit,
  { kernel, port }: NetworkChanges,
  scope: AsyncDisposableStack,
): VirtualAddresses {
  return scope.use(
    new VirtualAddresses({
      campaign: createEtcdCampaign({ openEtcd, hostname }),
      openAddress: async (id) => createBorrowedAddress(kernel, port, id),
      yieldLeadership,
      ...{ timers: systemTimers, monotonicMs: () => performance.now(), log, telemetry },
    }),
  );
}

const leaseFile = 'dhcp-leases.json';

interface MachineOperators {
  readonly commandLine: CommandLineOperator;
  readonly dhcp: DhcpOperator;
  readonly dhcp6: Dhcp6Operator;
  readonly advertisements: AdvertisementOperator;
}

/** The operators of a machine that plans its network. They end with `scope`. */
async function openMachineOperators(
  { commandLine: text, root, log, stateMounted, stopSignal }: OpenNetworkInit,
  kernel: KernelNetwork,
  scope: AsyncDisposableStack,
): Promise<MachineOperators> {
  const commandLine: CommandLineOperator = new CommandLineOperator(
    text,
    () => dhcp.isRunning() || dhcp6.isRunning(),
  );
  const given = () => commandLine.given();
  const leases = openDhcpLeases(`${root}${volumePath(volumeRow(volumeIds.state))}/${leaseFile}`, log);
  // The first lease of a machine is older than its volumes.
  stateMounted?.(stopSignal).then(
    () => leases.keep(),
    (error: unknown) => log.debug({ error: faultFrom(error).message }, 'STATE was not mounted'),
  );
  const dhcp = scope.use(
    new DhcpOperator({
      ...{ openWire: await loadDhcpWires(systemTimers), leases },
      ...{ timers: systemTimers, random: Math.random, log, given },
      isTaken: (linkName) => commandLine.hasLink(linkName),
    }),
  );
  const dhcp6 = scope.use(
    new Dhcp6Operator({
      openWire: await loadDhcp6Wires(systemTimers),
      kernel: {
        addresses: () => kernel.addresses(),
        watchAddresses: (events) => kernel.watch(['address'], events),
      },
      ...{ timers: systemTimers, random: Math.random, log },
    }),
  );
  const calls = await loadNativeCalls();
  const advertisements = scope.use(
    new AdvertisementOperator({
      watchOptions: (events) => watchAdvertisements(calls, { timers: systemTimers, ...events }),
      ownAddresses: () => kernel.addresses().map(({ address }) => address),
      ...{ timers: systemTimers, given, log },
    }),
  );
  return { commandLine, dhcp, dhcp6, advertisements };
}

interface PlannedMachine {
  readonly network: PlannedNetworkInit;
  readonly operators: MachineOperators;
}

/** Only a machine plans all of its network; it has no link up yet. */
async function planNetwork(
  init: OpenNetworkInit,
  { kernel, port }: NetworkChanges,
  scope: AsyncDisposableStack,
): Promise<PlannedMachine | undefined> {
  const { node, setParameter, selectors, log } = init;
  if (!node.world.ownsNetwork || setParameter === undefined) return undefined;
  const names = kernel.links().map(({ name }) => name);
  const parameters = setLinkParameters(names, setParameter);
  for (const error of [...parameters.problems, ...parameters.obstacles.values()])
    log.error({ error }, 'a kernel parameter of the network could not be set');
  const operators = await openMachineOperators(init, kernel, scope);
  const advertisements = {
    port: await openAdvertisementPort(setParameter),
    onAccepting: (links: readonly AcceptingLink[]) => operators.advertisements.setAccepting(links),
  };
  const endpointNames = new EndpointNames(systemTimers);
  return {
    network: { port, obstacles: parameters.obstacles, advertisements, endpointNames, selectors },
    operators,
  };
}
