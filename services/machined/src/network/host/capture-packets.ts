import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type CapturedPacket,
  capabilities,
  hasCapability,
  loadNativeCalls,
  type NativeCalls,
  type NetworkLink,
  openPacketSocket,
  type PacketSocketInit,
  readNetworkLink,
} from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

/** A running capture. Disposing of it closes its socket. */
export interface PacketCapture extends Disposable {
  /**
   * The captured packets, until `signal` aborts.
   *
   * @throws Fault `unavailable` when the device is removed.
   */
  packets(signal: AbortSignal): AsyncGenerator<CapturedPacket, void, undefined>;
}

export type CaptureOptions = Omit<PacketSocketInit, 'linkIndex'>;

/** Captures packets on network devices. */
export interface PacketCapturer {
  /**
   * Starts a capture: from its return on, no packet that matches the filter is missed. The caller disposes of
   * it.
   *
   * @throws Fault `permission-denied` without CAP_NET_RAW, `resource-exhausted` when too many captures run,
   * `invalid-argument` for a filter that the kernel refuses.
   */
  open(link: NetworkLink, options: CaptureOptions): Promise<PacketCapture>;
}

/** Each one holds 4 MiB of kernel memory. */
const maxCaptures = 8;
/** How often the ring is read. The kernel fills it in the meantime, so no thread waits. */
const periodMs = 20;

/** After this many reads the device is checked, because the ring of a removed device stays empty. */
const checkAfter = 50;

/** @param log receives the counts of captured and dropped packets. */
export function createPacketCapturer(log: Logger): PacketCapturer {
  let loading: Promise<NativeCalls> | undefined;
  let running = 0;

  return {
    async open(link, options) {
      // Checked first, because most processes lack it and need not load the add-on to find out.
      if (!hasCapability(capabilities.netRaw)) {
        throw new Fault(
          'permission-denied',
          'capturing packets needs CAP_NET_RAW: machined runs without it, as an ordinary user or in a container',
        );
      }
      loading ??= loadNativeCalls();
      const calls = await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      if (running >= maxCaptures) {
        throw new Fault('resource-exhausted', `${running} captures are running already: end one of them`);
      }
      using scope = new DisposableStack();
      const socket = scope.use(openPacketSocket(calls, { ...options, linkIndex: link.index }));
      running += 1;
      scope.defer(() => {
        running -= 1;
        // Read before the scope closes the socket.
        const facts = { link: link.name, ...socket.takeStatistics() };
        if (facts.lost > 0) log.warn(facts, 'packets were lost for want of room');
        else log.info(facts, 'packet capture ended');
      });
      const resources = scope.move();
      return {
        async *packets(signal) {
          for (let idle = 1; !signal.aborted; idle += 1) {
            const packets = socket.take();
            if (packets !== undefined) yield* packets;
            else if (idle % checkAfter === 0) checkLink(link);
            else await pause(periodMs, signal);
          }
        },
        [Symbol.dispose]: () => resources.dispose(),
      };
    },
  };
}

function checkLink({ name, index }: NetworkLink): void {
  let current: NetworkLink | undefined;
  try {
    current = readNetworkLink(name);
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
  // Another device may have its name by now.
  if (current?.index !== index) throw new Fault('unavailable', `interface "${name}" was removed`);
}
