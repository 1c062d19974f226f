import { setImmediate } from 'node:timers/promises';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { type KernelLog, openKernelLog, parseUptime } from '@nodewright/linux';
import type { WallClock } from '@nodewright/sntp';
import { kernelMessageText } from '../domain/kernel-message-text.ts';
import type { KernelFiles } from '../host/kernel-files.ts';
import { pause } from '../host/pause.ts';

export interface DmesgInit {
  readonly kernel: KernelFiles;
  readonly clock: WallClock;
  /** Ends the streams that follow when the node stops. */
  readonly stopSignal: AbortSignal;
  /** Default: the kernel's. */
  readonly openLog?: () => KernelLog;
}

/** How often a follower looks whether there is more. Nothing waits in the kernel, so no thread is held. */
const followPeriodMs = 100;
/** After so many messages others get a turn. */
const batchSize = 64;

/** Dmesg: the kernel's log, a message a record. Source: Talos v1.14: Dmesg. */
export function createDmesg(init: DmesgInit): Pick<MachineServiceImplementation, 'dmesg'> {
  const { kernel, clock, openLog = openKernelLog } = init;
  const nowUs = () => BigInt(Math.round(clock.now() * 1000));

  return {
    async *dmesg({ follow, tail }, context) {
      using log = openLog();
      const signal = AbortSignal.any([context.signal, init.stopSignal]);
      const uptimeSeconds = Math.floor(parseUptime(kernel.read('/proc/uptime')));
      const bootUs = nowUs() - BigInt(uptimeSeconds) * 1_000_000n;

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

/** Node.js cannot seek in a device: what is there is read and left. */
async function skipToEnd(log: KernelLog, signal: AbortSignal): Promise<void> {
  for (let count = 1; !signal.aborted && log.next() !== undefined; count += 1) {
    if (count % batchSize === 0) await setImmediate();
  }
}
