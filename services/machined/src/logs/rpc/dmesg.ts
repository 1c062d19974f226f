import { setImmediate } from 'node:timers/promises';
import { pause } from '@nodewright/async';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { type KernelLog, openKernelLog } from '@nodewright/linux';
import { kernelMessageText } from '../domain/kernel-message-text.ts';

export interface DmesgInit {
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Returns the time at which the machine started, in Unix ms. */
  readonly bootTimeMs: () => number;
  /** Aborts when the node stops, and ends the streams that follow. */
  readonly stopSignal: AbortSignal;
  /** Opens the kernel's log; default `/dev/kmsg`. */
  readonly openLog?: () => KernelLog;
}

/** The interval at which a follower polls the log, so that no thread blocks in a read. */
const followPeriodMs = 100;
/** After this number of messages the call yields to the event loop. */
const batchSize = 64;

/** Implements Dmesg: sends the kernel's log, one message per record. Source: Talos v1.14: Dmesg. */
export function createDmesg(init: DmesgInit): Pick<MachineServiceImplementation, 'dmesg'> {
  const { now, bootTimeMs, openLog = openKernelLog } = init;
  const microseconds = (ms: number) => BigInt(Math.round(ms * 1000));
  const nowUs = () => microseconds(now());

  return {
    async *dmesg({ follow, tail }, context) {
      using log = openLog();
      const signal = AbortSignal.any([context.signal, init.stopSignal]);
      const bootUs = microseconds(bootTimeMs());

      if (tail) await skipToEnd(log, signal);
      for (let count = 1; !signal.aborted; count += 1) {
        const entry = log.next();
        if (entry !== undefined) yield { bytes: kernelMessageText(entry, bootUs, nowUs()) };
        else if (!follow) return;
        else await pause(followPeriodMs, signal);
        if (count % batchSize === 0) await setImmediate();
      }
    },
  };
}

/** Reads and drops all old records, because Node.js cannot seek in a device. */
async function skipToEnd(log: KernelLog, signal: AbortSignal): Promise<void> {
  for (let count = 1; !signal.aborted && log.next() !== undefined; count += 1) {
    if (count % batchSize === 0) await setImmediate();
  }
}
