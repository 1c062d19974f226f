import type { KernelFiles } from '../base/host/kernel-files.ts';
import type { Topic } from '../base/topic.ts';
import { type LogsControllersInit, logsControllers } from './controllers/logs-controllers.ts';
import { writeAbsentDnsLog } from './host/absent-dns-log.ts';
import { bootTimeMs } from './host/boot-time.ts';
import { createDmesg } from './rpc/dmesg.ts';
import { createLogs, type LogsInit } from './rpc/logs.ts';

export interface OpenLogsInit extends LogsInit, Pick<LogsControllersInit, 'cmdline' | 'now'> {
  readonly kernel: KernelFiles;
}

/**
 * Opens the topic of logs: the calls that read the logs of services, containers and the kernel, and the
 * controllers that send logs to destinations.
 */
export function openLogs(init: OpenLogsInit): Topic {
  const { kernel, now, store } = init;
  writeAbsentDnsLog(store, now());
  const times = { now, bootTimeMs: () => bootTimeMs(now(), kernel.read('/proc/uptime')) };
  return {
    controllers: logsControllers({ ...init, ...times }),
    api: { 'machine.MachineService': { ...createLogs(init), ...createDmesg({ ...init, ...times }) } },
  };
}
