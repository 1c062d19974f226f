import { systemTimers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import { resolverFolder } from '../base/domain/resolver-folder.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import type { EventStore } from '../life/host/event-store.ts';
import type { LinkHardwareSource } from './controllers/link-hardware-source.ts';
import { networkControllers } from './controllers/network-controllers.ts';
import { openBorrowedAddress } from './host/borrowed-address.ts';
import { createPacketCapturer } from './host/capture-packets.ts';
import { createEtcdCampaign } from './host/etcd-campaign.ts';
import { createKernelHostname } from './host/kernel-hostname.ts';
import { openKernelNetwork } from './host/kernel-network.ts';
import type { YieldLeadership } from './host/part-from-leader.ts';
import { createPodResolverFile } from './host/pod-resolver-file.ts';
import type { SetParameter } from './host/static-network.ts';
import { VirtualAddresses } from './host/virtual-addresses.ts';
import { createNetstat } from './rpc/netstat.ts';
import { createPacketCapture } from './rpc/packet-capture.ts';

export interface OpenNetworkInit {
  readonly node: NodeFacts;
  readonly events: EventStore;
  readonly linkHardware: LinkHardwareSource;
  /** Why machined cannot add addresses to links, besides what its world says; `undefined` when it can. */
  readonly cannotAddAddresses: string | undefined;
  /** Why the kernel's command line gave the machine no address; undefined when it gave one, and on other nodes. */
  readonly addressProblem: string | undefined;
  /** Sets a kernel parameter; undefined on a node that shares its kernel with others. */
  readonly setParameter: SetParameter | undefined;
  readonly hasKubelet: boolean;
  /** The node's root, without a trailing slash. */
  readonly root: string;
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
}

/**
 * The node's network: links, addresses, routes and names of the kernel and of the configuration, and its
 * sockets. Virtual addresses are released when `scope` ends.
 */
export function openNetwork(init: OpenNetworkInit, scope: AsyncDisposableStack): NetworkTopic {
  const { node, events, linkHardware, stopSignal, log, telemetry } = init;
  const { world, hostname, addresses } = node;
  const virtual = openVirtualAddresses(init, scope);
  return {
    controllers: networkControllers({
      ...{ world, hostname, addresses, linkHardware },
      network: openKernelNetwork,
      readResolvConf: async () => readIfThere('/etc/resolv.conf')?.toString() ?? '',
      instanceType: '',
      hostnameEffect: init.setParameter && createKernelHostname(init.setParameter),
      addressProblem: init.addressProblem,
      podResolverEffect: init.hasKubelet
        ? createPodResolverFile(`${init.root}${resolverFolder}/resolv.conf`)
        : undefined,
      ...{ virtual, hasKubelet: init.hasKubelet },
      publish: (event) => void events.publish(event),
    }),
    api: {
      'machine.MachineService': {
        ...createNetstat(telemetry),
        ...createPacketCapture({ capturer: createPacketCapturer(log), world, stopSignal }),
      },
    },
    async releaseAddresses() {
      if (typeof virtual !== 'string') await virtual[Symbol.asyncDispose]();
    },
  };
}

/** What competes for virtual addresses; on a node that cannot have any, the reason. */
function openVirtualAddresses(init: OpenNetworkInit, scope: AsyncDisposableStack): VirtualAddresses | string {
  const { node, cannotAddAddresses, openEtcd, yieldLeadership, hostname, log, telemetry } = init;
  if (!node.world.addsAddresses) return `it is ${node.world.description}, and does not change its links`;
  if (cannotAddAddresses !== undefined) return cannotAddAddresses;
  return scope.use(
    new VirtualAddresses({
      campaign: createEtcdCampaign({ openEtcd, hostname }),
      openAddress: openBorrowedAddress,
      yieldLeadership,
      ...{ timers: systemTimers, monotonicMs: () => performance.now(), log, telemetry },
    }),
  );
}
