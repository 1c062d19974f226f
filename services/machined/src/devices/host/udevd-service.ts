import { pause } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import type { Condition } from '../../base/domain/condition.ts';
import type { LogStore } from '../../logs/host/log-store.ts';
import { restartRunner } from '../../services/domain/restart-runner.ts';
import type { ExitGuard } from '../../services/host/exit-guard.ts';
import type { ProcessWatcher } from '../../services/host/launched-runner.ts';
import { createProcessRunner } from '../../services/host/process-runner.ts';
import type { HealthCheck, ServiceDefinition } from '../../services/host/service.ts';
import type { ServiceCgroups } from '../../services/host/service-cgroups.ts';
import { udevdCommand, udevEnvironment } from '../domain/udev-programs.ts';
import type { UdevControl } from './udev-control.ts';

export interface UdevdServiceInit {
  readonly options: { readonly restartInterval: number };
  readonly conditions: readonly Condition[];
  readonly udev: Pick<UdevControl, 'check'>;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  readonly watcher?: ProcessWatcher;
  readonly cgroups: ServiceCgroups | undefined;
}

/** Source: Talos v1.14: cgroups. */
const cgroup = 'system/udevd';
/** Source: Talos v1.14: services, udevd. */
const oomScore = 0;
/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
/** Source: Talos v1.14: health checks, udevd. */
const healthTimes: Omit<HealthCheck, 'check'> = {
  initialDelayMs: 100,
  periodMs: 60_000,
  timeoutMs: 55_000,
};

/** udevd as a service of a machine. Its first health check makes it process all devices. */
export function udevdService(init: UdevdServiceInit): ServiceDefinition {
  const { options, conditions, udev, logs, guard, watcher, cgroups } = init;
  const process = createProcessRunner({
    argv: udevdCommand,
    workingDirectory: '/',
    environment: () => ({ ...udevEnvironment }),
    log: logs.open(serviceIds.udevd),
    guard,
    watcher,
    cgroup: () => cgroups?.open(cgroup),
    oomScoreAdjust: oomScore,
    graceTimeoutMs,
  });
  return {
    id: serviceIds.udevd,
    outlivedBy: [serviceIds.machined],
    conditions,
    runner: restartRunner(process, {
      policy: 'forever',
      intervalMs: options.restartInterval,
      now: () => performance.now(),
      sleep: pause,
    }),
    health: { check: (timeoutMs) => udev.check(timeoutMs), ...healthTimes },
  };
}
