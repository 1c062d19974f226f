import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { readNetworkLink } from '@nodewright/linux';
import type { World } from '../../base/domain/world.ts';
import { checkPacketFilter } from '../domain/check-packet-filter.ts';
import { pcapHeader, pcapLinkType, pcapRecordHeader } from '../domain/pcap-format.ts';
import type { PacketCapturer } from '../host/capture-packets.ts';

/** `ARPHRD_LOOPBACK`: it also receives what it sends, so packets would appear twice. */
const loopback = 772;

export interface PacketCaptureInit {
  readonly capturer: PacketCapturer;
  readonly world: Pick<World, 'isGuest'>;
  /** Ends the captures when the node stops. */
  readonly stopSignal: AbortSignal;
}

/**
 * PacketCapture: a pcap stream of the packets on a network device. The first message is the header; each
 * packet is two messages, its header and its bytes. Ends when the client cancels. Source: Talos v1.14:
 * PacketCapture.
 */
export function createPacketCapture(
  init: PacketCaptureInit,
): Pick<MachineServiceImplementation, 'packetCapture'> {
  return {
    async *packetCapture({ interface: name, promiscuous, snapLen, bpfFilter }, context) {
      const link = readNetworkLink(name);
      const linkType = pcapLinkType(link);
      checkPacketFilter(bpfFilter);
      if (promiscuous && init.world.isGuest) {
        throw new Fault(
          'failed-precondition',
          `promiscuous mode would change interface "${name}" of the host, which a node of processes never does: leave it out`,
        );
      }
      using capture = await init.capturer.open(link, {
        onlyReceived: link.hardwareType === loopback,
        promiscuous,
        filter: bpfFilter,
      });
      const signal = AbortSignal.any([context.signal, init.stopSignal]);
      // The header tells the client that the capture has started.
      yield { bytes: pcapHeader(linkType, snapLen) };
      for await (const packet of capture.packets(signal)) {
        yield { bytes: pcapRecordHeader(packet) };
        yield { bytes: packet.data };
      }
    },
  };
}
