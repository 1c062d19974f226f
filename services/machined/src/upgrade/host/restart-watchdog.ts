import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { faultFrom } from '@nodewright/fault';
import { type LoadModuleFile, moduleLoadOrder, type NativeCalls, parseModuleFiles } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

export interface RestartWatchdogInit {
  readonly calls: Pick<NativeCalls, 'control'>;
  /** The text of `modules.dep`; undefined without one. */
  readonly moduleList: () => string | undefined;
  readonly load: LoadModuleFile;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Default: `/dev/watchdog0`. */
  readonly device?: string;
  /** What the driver of this device says that it is; undefined without one. */
  readonly readIdentity: () => string | undefined;
}

/** The timer of the kernel. An earlier trial of this start may have loaded it, for want of hardware. Source: Linux, drivers/watchdog/softdog.c. */
const kernelTimer = 'Software Watchdog';
/** Source: Linux, watchdog API, magic close. */
const magicClose = 'V';

/**
 * Drivers of hardware, which runs on while a kernel starts another one: of emulated machines, and of firmware with an ACPI table for it. The timer
 * of the kernel would end with it.
 */
const drivers = ['i6300esb', 'wdat_wdt'] as const;
/** Enough for disks to store what is in memory, and for the new kernel to reach its init, which sets a time of its own. */
const seconds = 300;
// <linux/watchdog.h>: WDIOC_SETTIMEOUT
const setTimeoutRequest = 0xc004_5706;

/**
 * Starts a watchdog of the hardware before a system is tried without the firmware: it covers the trial from its first instruction. The core of
 * watchdogs was loaded with `stop_on_reboot=0`, so it runs on. Nothing feeds it here: should this machine not end, it is reset as well.
 *
 * @returns the driver; undefined when the machine has none of them
 */
export async function startRestartWatchdog(init: RestartWatchdogInit): Promise<string | undefined> {
  const { calls, moduleList, load, log, readIdentity, device = '/dev/watchdog0' } = init;
  if (readIdentity()?.trim() === kernelTimer) return undefined;
  const files = parseModuleFiles(moduleList() ?? '');
  for (const driver of drivers) {
    try {
      for (const path of moduleLoadOrder(files, driver) ?? []) await load(path, '');
      const descriptor = openSync(device, constants.O_WRONLY);
      try {
        const time = Buffer.alloc(4);
        time.writeInt32LE(seconds);
        calls.control(descriptor, setTimeoutRequest, time);
      } catch (error) {
        // With a shorter time of its own it would reset the machine while that stops.
        writeSync(descriptor, magicClose);
        throw error;
      } finally {
        // Without the magic character it is not stopped.
        closeSync(descriptor);
      }
      log.info({ driver, seconds }, 'a watchdog covers the start of the new system');
      return driver;
    } catch (error) {
      const { kind, message } = faultFrom(error);
      // No such hardware, or no such device.
      if (kind !== 'not-found') log.warn({ driver, error: message }, 'the watchdog cannot be started');
    }
  }
  return undefined;
}
