import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import type { EventStore } from '../life/host/event-store.ts';
import type { LinkHardwareSource } from './controllers/link-hardware-source.ts';
import { networkControllers } from './controllers/network-controllers.ts';
import { createPacketCapturer } from './host/capture-packets.ts';
import { openKernelNetwork } from './host/kernel-network.ts';
import { createNetstat } from './rpc/netstat.ts';
import { createPacketCapture } from './rpc/packet-capture.ts';

export interface OpenNetworkInit {
  readonly node: NodeFacts;
  readonly events: EventStore;
  readonly linkHardware: LinkHardwareSource;
  /** Ends the captures when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/**
 * The node's network: links, addresses, routes and names of the kernel and of the configuration, and its
 * sockets.
 */
export function openNetwork(init: OpenNetworkInit): Topic {
  const { node, events, linkHardware, stopSignal, log, telemetry } = init;
  const { world, hostname, addresses } = node;
  return {
    controllers: networkControllers({
      ...{ world, hostname, addresses, linkHardware },
      network: openKernelNetwork,
      readResolvConf: async () => readIfThere('/etc/resolv.conf')?.toString() ?? '',
      instanceType: '',
      publish: (event) => void events.publish(event),
    }),
    api: {
      'machine.MachineService': {
        ...createNetstat(telemetry),
        ...createPacketCapture({ capturer: createPacketCapturer(log), world, stopSignal }),
      },
    },
  };
}
