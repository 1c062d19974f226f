import { chmod } from 'node:fs/promises';
import { pause, systemTimers } from '@nodewright/async';
import type { ContainerRuntime } from '@nodewright/containers';
import { removeInterruptedTasks } from '@nodewright/containers/interrupted-tasks';
import { serviceIds } from '@nodewright/contract';
import { makeFolder } from '@nodewright/files';
import { containerdCgroups, containerdOomScore, containerdPaths } from '@nodewright/node-files';
import {
  type Condition,
  createProcessRunner,
  defaultHealthTimes,
  type ExitGuard,
  type ProcessWatcher,
  type Runner,
  restartRunner,
  type ServiceCgroups,
  type ServiceDefinition,
} from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { Logger } from '@nodewright/telemetry';
import type { ContainerdHealth } from './containerd-health.ts';
import { stopContainers } from './stop-containers.ts';

export interface ContainerdServiceInit {
  readonly options: { readonly restartInterval: number };
  readonly conditions: readonly Condition[];
  readonly runtime: ContainerRuntime;
  readonly health: ContainerdHealth;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  readonly watcher?: ProcessWatcher;
  readonly cgroups: ServiceCgroups | undefined;
  readonly log: Logger;
}

/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
/** Source: Talos v1.14: directories. */
const stateMode = 0o711;

/** containerd as the service `cri` of a machine. Source: Talos v1.14: services, cri. */
export function containerdService(init: ContainerdServiceInit): ServiceDefinition {
  const { options, conditions, runtime, health, logs, guard, watcher, cgroups, log } = init;
  const { program, socket, config, state } = containerdPaths;
  const daemon = createProcessRunner({
    argv: [program, '--address', socket, '--config', config],
    workingDirectory: '/',
    environment: () => ({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', XDG_RUNTIME_DIR: '/run' }),
    log: logs.open(serviceIds.cri),
    guard,
    watcher,
    cgroup: () => cgroups?.open(containerdCgroups.daemon),
    oomScoreAdjust: containerdOomScore,
    // A shim keeps its containers running while containerd is away.
    leavesDescendants: true,
    graceTimeoutMs,
  });
  const process: Runner = {
    text: daemon.text,
    // Before each start: what a killed containerd has left would keep a container from starting.
    async run(report, signal) {
      try {
        for (const task of await removeInterruptedTasks(state, systemTimers, signal))
          log.warn({ task }, 'removed what an interrupted start of a container had left');
      } catch (error) {
        // One container may not start then, and the others do.
        log.warn(
          { error: String(error) },
          'what interrupted starts of containers have left cannot be removed',
        );
      }
      await daemon.run(report, signal);
    },
  };
  return {
    id: serviceIds.cri,
    outlivedBy: [serviceIds.machined],
    conditions,
    async prepare() {
      await makeFolder(state);
      await chmod(state, stateMode);
      // containerd moves its shims there and does not create it.
      await cgroups?.open(containerdCgroups.shims);
    },
    runner: restartRunner(process, {
      policy: 'forever',
      intervalMs: options.restartInterval,
      now: () => performance.now(),
      sleep: pause,
    }),
    beforeNodeEnds: () => stopContainers(runtime, log, systemTimers),
    health: { check: (timeoutMs) => health.check(timeoutMs), ...defaultHealthTimes },
  };
}
