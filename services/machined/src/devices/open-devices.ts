import { setTimeout as sleep } from 'node:timers/promises';
import { systemTimers } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import type { FollowingService } from '@nodewright/controllers';
import { runProgram } from '@nodewright/linux';
import { pointerTo, type State } from '@nodewright/state';
import { type ServiceSpec, services } from '@nodewright/state/kinds';
import type { Topic } from '../base/topic.ts';
import { recordServicePid } from '../services/host/record-service-pid.ts';
import { openResourceCondition } from '../services/host/resource-condition.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import { udevRulesController } from './controllers/udev-rules.ts';
import { udevdServiceController } from './controllers/udevd-service.ts';
import { settleTimeMs } from './domain/settle-time.ts';
import { udevPaths } from './domain/udev-programs.ts';
import { metWithin } from './host/start-condition.ts';
import { createUdevControl, type UdevControl } from './host/udev-control.ts';
import { writeUdevRules } from './host/udev-rules-file.ts';
import { type UdevdServiceInit, udevdService } from './host/udevd-service.ts';

export interface OpenDevicesInit extends Omit<UdevdServiceInit, 'udev' | 'watcher' | 'conditions'> {
  /** udevd is a service of this node. */
  readonly hasUdevd: boolean;
  /** The command line of the kernel. */
  readonly commandLine: string;
  readonly state: State;
  readonly services: ServiceManager;
}

export interface DevicesTopic extends Topic {
  /** Lets udevd run; undefined where it is no service. */
  readonly begin: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * The first look at all devices keeps a small machine busy for seconds, so udevd lets the API answer first. An API that does not
 * start must not keep the devices unknown.
 */
const startLimitMs = 30_000;
const apidUp = {
  pointer: pointerTo(services, serviceIds.apid),
  text: `service "${serviceIds.apid}" to be "up"`,
  isWanted: ({ running, healthy }: ServiceSpec) => running && healthy,
};

/** Opens the topic of udevd: the service, and the rules of the configuration. */
export function openDevices(init: OpenDevicesInit, scope: AsyncDisposableStack): DevicesTopic {
  if (!init.hasUdevd) return { controllers: [], api: {}, begin: undefined };
  const udev = createUdevControl({
    run: runProgram,
    settleTimeMs: settleTimeMs(init.commandLine),
    now: () => performance.now(),
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
  });
  const follower = udevdServiceController(followingService(init, udev, scope));
  const rules = udevRulesController({
    writeRules: (text) => writeUdevRules(udevPaths.rules, text),
    applyRules: (signal) => udev.applyRules(signal),
  });
  return { controllers: [follower, rules], api: {}, begin: (signal) => follower.begin(signal) };
}

/** udevd, which is declared at its first start. */
function followingService(
  init: OpenDevicesInit,
  udev: UdevControl,
  scope: AsyncDisposableStack,
): FollowingService {
  const { state, services: manager } = init;
  let isDeclared = false;
  return {
    async start() {
      if (!isDeclared) {
        const apid = await openResourceCondition(state, apidUp, scope);
        const conditions = [metWithin(apid, startLimitMs, systemTimers)];
        const watcher = recordServicePid(state, serviceIds.udevd);
        manager.declare([udevdService({ ...init, conditions, udev, watcher })]);
      }
      isDeclared = true;
      manager.start([serviceIds.udevd]);
    },
    stop: () => manager.stop([serviceIds.udevd]),
  };
}
