import { setTimeout as sleep } from 'node:timers/promises';
import { serviceIds } from '@nodewright/contract';
import type { FollowingService } from '@nodewright/controllers';
import type { State } from '@nodewright/state';
import { runProgram } from '../base/host/run-program.ts';
import type { Topic } from '../base/topic.ts';
import { recordServicePid } from '../services/host/record-service-pid.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import { udevRulesController } from './controllers/udev-rules.ts';
import { udevdServiceController } from './controllers/udevd-service.ts';
import { settleTimeMs } from './domain/settle-time.ts';
import { udevPaths } from './domain/udev-programs.ts';
import { createUdevControl, type UdevControl } from './host/udev-control.ts';
import { writeUdevRules } from './host/udev-rules-file.ts';
import { type UdevdServiceInit, udevdService } from './host/udevd-service.ts';

export interface OpenDevicesInit extends Omit<UdevdServiceInit, 'udev' | 'watcher'> {
  /** udevd is a service of this node. */
  readonly hasUdevd: boolean;
  /** The command line of the kernel. */
  readonly commandLine: string;
  readonly state: State;
  readonly services: ServiceManager;
}

export interface DevicesTopic extends Topic {
  /** Lets udevd run; does nothing where it is no service. */
  begin(signal: AbortSignal): Promise<void>;
}

/** Opens the topic of udevd: the service, and the rules of the configuration. */
export function openDevices(init: OpenDevicesInit): DevicesTopic {
  if (!init.hasUdevd) return { controllers: [], api: {}, begin: async () => {} };
  const udev = createUdevControl({
    run: runProgram,
    settleTimeMs: settleTimeMs(init.commandLine),
    now: () => performance.now(),
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
  });
  const follower = udevdServiceController(followingService(init, udev));
  const rules = udevRulesController({
    writeRules: (text) => writeUdevRules(udevPaths.rules, text),
    applyRules: (signal) => udev.applyRules(signal),
  });
  return { controllers: [follower, rules], api: {}, begin: (signal) => follower.begin(signal) };
}

/** udevd, which is declared at its first start. */
function followingService(init: OpenDevicesInit, udev: UdevControl): FollowingService {
  const { state, services } = init;
  let isDeclared = false;
  return {
    start() {
      if (!isDeclared) {
        const watcher = recordServicePid(state, serviceIds.udevd);
        services.declare([udevdService({ ...init, udev, watcher })]);
      }
      isDeclared = true;
      services.start([serviceIds.udevd]);
    },
    stop: () => services.stop([serviceIds.udevd]),
  };
}
