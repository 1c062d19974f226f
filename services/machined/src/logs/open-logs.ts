import type { KernelFiles } from '../base/host/kernel-files.ts';
import type { Topic } from '../base/topic.ts';
import { type LogsControllersInit, logsControllers } from './controllers/logs-controllers.ts';
import { bootTimeMs } from './host/boot-time.ts';
import { createDmesg } from './rpc/dmesg.ts';
import { createLogs, type LogsInit } from './rpc/logs.ts';

export interface OpenLogsInit extends LogsInit, Pick<LogsControllersInit, 'cmdline' | 'now'> {
  readonly kernel: KernelFiles;
}

/** The logs of services, of containers and of the kernel: the calls that read them, and what delivers them elsewhere. */
export function openLogs(init: OpenLogsInit): Topic {
  const { kernel, now } = init;
  const times = { now, bootTimeMs: () => bootTimeMs(now(), kernel.read('/proc/uptime')) };
  return {
    controllers: logsControllers({ ...init, ...times }),
    api: { 'machine.MachineService': { ...createLogs(init), ...createDmesg({ ...init, ...times }) } },
  };
}
