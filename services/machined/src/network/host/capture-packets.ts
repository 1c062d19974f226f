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

/** A capture that runs. Disposing it closes its socket. */
export interface PacketCapture extends Disposable {
  /**
   * Packets as they come, until `signal` aborts.
   *
   * @throws Fault `unavailable` when the device goes away.
   */
  packets(signal: AbortSignal): AsyncGenerator<CapturedPacket, void, undefined>;
}

export type CaptureOptions = Omit<PacketSocketInit, 'linkIndex'>;

/** Captures packets on network devices. */
export interface PacketCapturer {
  /**
   * Starts a capture: from then on no packet that the filter lets through is missed. The caller disposes it.
   *
   * @throws Fault `permission-denied` without CAP_NET_RAW, `resource-exhausted` when too many captures run,
   *   `invalid-argument` for a filter that the kernel refuses.
   */
  open(link: NetworkLink, options: CaptureOptions): Promise<PacketCapture>;
}

/** Each holds 4 MiB of the kernel's memory. */
const maxCaptures = 8;
/** How often the ring is looked at. The kernel fills it meanwhile, and nothing waits in it: no thread is held. */
const periodMs = 20;

/** After so many looks somebody asks whether the device is still there: the ring of one that is gone stays empty. */
const checkAfter = 50;

/** @param log is told how many packets a capture took and lost. */
export function createPacketCapturer(log: Logger): PacketCapturer {
  let loading: Promise<NativeCalls> | undefined;
  let running = 0;

  return {
    async open(link, options) {
      // Asked first: most processes lack it, and need not load the add-on to hear so.
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
        throw new Fault('resource-exhausted', `${running} captures run already: end one of them`);
      }
      using scope = new DisposableStack();
      const socket = scope.use(openPacketSocket(calls, { ...options, linkIndex: link.index }));
      running += 1;
      scope.defer(() => {
        running -= 1;
        // Asked before the socket is closed, which the scope does next.
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
  if (current?.index !== index) throw new Fault('unavailable', `interface "${name}" is gone`);
}
