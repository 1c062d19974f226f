import type { Controller } from '@nodewright/controllers';
import type { KernelLog } from '@nodewright/linux';
import type { LogStore } from '@nodewright/services/logs';
import { kernelLogUrls } from '../domain/kernel-log-urls.ts';
import { kmsgLogConfigController } from './kmsg-log-config.ts';
import { kmsgLogDeliveryController } from './kmsg-log-delivery.ts';
import { logDeliveryController } from './log-delivery.ts';

export interface LogsControllersInit {
  readonly store: LogStore;
  /** The kernel command line, if the kernel runs for this node alone; empty if it is the host's. */
  readonly cmdline: string;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Returns the time at which the machine started, in Unix ms. */
  readonly bootTimeMs: () => number;
  /** Opens the kernel's log; default `/dev/kmsg`. */
  readonly openKernelLog?: (() => KernelLog) | undefined;
}

/** Creates the controllers that send logs to destinations. Source: Talos v1.14: log destinations. */
export function logsControllers(init: LogsControllersInit): Controller[] {
  const { store, cmdline, now, bootTimeMs, openKernelLog } = init;
  return [
    logDeliveryController(store, now),
    kmsgLogConfigController(kernelLogUrls(cmdline)),
    kmsgLogDeliveryController({ now, bootTimeMs, openLog: openKernelLog }),
  ];
}
