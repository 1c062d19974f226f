import { systemTimers } from '@nodewright/async';
import {
  createServiceCgroups,
  type ExitGuard,
  openExitGuard,
  openServiceCgroups,
  type ServiceCgroups,
  ServiceManager,
} from '@nodewright/services';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { canLimitMemory, limitCgroup } from '../base/host/cgroup-limits.ts';
import type { Topic } from '../base/topic.ts';
import { servicesControllers } from './controllers/services-controllers.ts';
import { isNodeService } from './domain/service-control.ts';
import { createServiceControl } from './rpc/service-control.ts';
import { createServiceList } from './rpc/service-list.ts';

export interface OpenServicesInit {
  readonly world: World;
  /** The control groups that belong to the node; undefined where it is not the first process. */
  readonly ownCgroups: string | undefined;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export interface ServicesTopic extends Topic {
  /** The shutdown of the node disposes of it, which stops every service. */
  readonly manager: ServiceManager;
  /** Kills the processes of services when machined exits without stopping them. */
  readonly guard: ExitGuard;
  /** Undefined if this node may create no cgroups. */
  readonly cgroups: ServiceCgroups | undefined;
}

/**
 * The services of the node: the manager that declares, starts and stops them, and the calls about them. No
 * service is declared yet.
 */
export function openServices(init: OpenServicesInit, scope: AsyncDisposableStack): ServicesTopic {
  const { log, telemetry } = init;
  const guard = scope.use(openExitGuard());
  const cgroups = cgroupsOf(init);
  if (cgroups !== undefined) scope.use(cgroups);
  const manager = new ServiceManager({ log, telemetry, timers: systemTimers, mayComeLater: isNodeService });
  return {
    controllers: servicesControllers({ services: manager }),
    api: {
      'machine.MachineService': {
        ...createServiceList(() => manager.records()),
        ...createServiceControl(manager),
      },
    },
    ...{ manager, guard, cgroups },
  };
}

function cgroupsOf({ world, ownCgroups, log }: OpenServicesInit): ServiceCgroups | undefined {
  if (ownCgroups !== undefined) {
    if (!world.ownsKernel && !canLimitMemory(ownCgroups)) {
      log.warn(
        'the engine gives the node no control over memory: apid and trustd have no limits of their own',
      );
      return createServiceCgroups({ folder: ownCgroups });
    }
    const limit = (path: string) => limitCgroup(ownCgroups, path, world.ownsKernel, log);
    return createServiceCgroups({ folder: ownCgroups, limit });
  }
  return world.isGuest ? openServiceCgroups() : undefined;
}
