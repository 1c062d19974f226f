import { type Controller, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { type KernelLog, openKernelLog } from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import { kmsgLogConfigs, networkStatuses } from '@nodewright/state/kinds';
import { type KernelLogPosition, openKernelLogSource } from '../host/kernel-log-source.ts';
import { createRecordDelivery, type RecordDelivery } from '../host/record-delivery.ts';
import { usableDestinations } from './log-delivery.ts';

export interface KmsgLogDeliveryInit {
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Returns the time at which the machine started, in Unix ms. */
  readonly bootTimeMs: () => number;
  /** Opens the kernel's log; default `/dev/kmsg`. */
  readonly openLog?: (() => KernelLog) | undefined;
}

/**
 * The time limit for sending pending records at the end. Upstream allows 10 s. Here it follows the grace time
 * of the services, and both must fit into machined's own time limit.
 */
const drainTimeoutMs = 5000;

/** Sends the kernel's log to the configured destinations, once the node has an address. */
export function kmsgLogDeliveryController(init: KmsgLogDeliveryInit): Controller {
  const { now, bootTimeMs, openLog = openKernelLog } = init;
  const position: KernelLogPosition = { sequence: 0n };
  const microseconds = (ms: number) => BigInt(Math.round(ms * 1000));
  let delivery: RecordDelivery | undefined;
  return {
    name: 'runtime.KmsgLogDeliveryController',
    inputs: [
      weak(networkStatuses, networkStatuses.singleton),
      weak(kmsgLogConfigs, kmsgLogConfigs.singleton),
    ],
    outputs: [],
    open({ log }, scope) {
      const bootUs = microseconds(bootTimeMs());
      const nowUs = () => microseconds(now());
      delivery = scope.use(
        createRecordDelivery({
          openSource: ({ extraTags }) => openKernelLogSource({ openLog, position, extraTags, bootUs, nowUs }),
          log,
          drainTimeoutMs,
        }),
      );
    },
    async reconcile(pass) {
      const network = await pass.get(pointerTo(networkStatuses));
      const config = await pass.get(pointerTo(kmsgLogConfigs));
      // Existing destinations stay while the network changes.
      if (config !== undefined && network?.spec.addressReady !== true) return;
      const destinations = (config?.spec.destinations ?? []).flatMap((url) =>
        usableDestinations(pass.log, url),
      );
      try {
        await delivery?.setDestinations(destinations);
      } catch (error) {
        // A process that may not read the kernel's log now will not be allowed to later, so there is no
        // retry.
        const fault = faultFrom(error);
        if (fault.kind !== 'permission-denied' && fault.kind !== 'unknown') throw error;
        pass.log.error({ error: fault.message }, "the kernel's log cannot be delivered");
      }
    },
  };
}
