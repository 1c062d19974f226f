import { serviceIds } from '@nodewright/contract';
import type { FollowingService } from '@nodewright/controllers';
import type { NativeCalls } from '@nodewright/linux';
import { declaredService, type ServiceManager } from '@nodewright/services';
import { followLogFile, type LogStore } from '@nodewright/services/logs';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { Topic } from '../base/topic.ts';
import { udevRulesController } from './controllers/udev-rules.ts';
import { udevdServiceController } from './controllers/udevd-service.ts';
import { watchPowerKey } from './host/power-key.ts';
import { writeUdevRules } from './host/udev-rules-file.ts';
import { openUdevdLink, type UdevdLink } from './host/udevd-link.ts';
import { udevdService } from './host/udevd-service.ts';

export interface OpenDevicesInit {
  /** The calls that watch the keys of a machine; undefined on a node whose host has the keys. */
  readonly calls: Pick<NativeCalls, 'watchReadable'> | undefined;
  /** Called when the power button is pressed. */
  readonly onPowerKey: () => void;
  /** udevd is a service of this node. */
  readonly hasUdevd: boolean;
  /** The socket of udevd-bridge. */
  readonly devicesSocket: string;
  /** The file with the output of udevd. */
  readonly udevdLog: string;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly telemetry: Telemetry;
  readonly log: Logger;
}

export interface DevicesTopic extends Topic {
  /** Makes udevd a service of the node; undefined on nodes without udevd. */
  readonly begin: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** The rules of the configuration; udevd reads them after those of the image. */
const rulesFile = '/etc/udev/rules.d/99-talos.rules';

/** Opens the topic of devices: the power button, and udevd, which udevd-bridge runs: its service, and the rules of the configuration. */
export function openDevices(init: OpenDevicesInit, scope: AsyncDisposableStack): DevicesTopic {
  const { calls, onPowerKey: onPress, log } = init;
  if (calls !== undefined) scope.use(watchPowerKey({ calls, onPress, log }));
  if (!init.hasUdevd) return { controllers: [], api: {}, begin: undefined };
  const udevd = scope.use(openUdevdLink(init.devicesSocket, init.telemetry));
  const follower = udevdServiceController(followingService(init, udevd, scope));
  const rules = udevRulesController({
    writeRules: (text) => writeUdevRules(rulesFile, text),
    applyRules: (signal) => udevd.applyRules(signal),
  });
  return { controllers: [follower, rules], api: {}, begin: (signal) => follower.begin(signal) };
}

/** udevd, which is declared at its first start. */
function followingService(
  { services, logs, udevdLog }: OpenDevicesInit,
  udevd: UdevdLink,
  scope: AsyncDisposableStack,
): FollowingService {
  const define = () => {
    scope.use(followLogFile(udevdLog, () => logs.open(serviceIds.udevd)));
    return udevdService(udevd);
  };
  return declaredService({ services, id: serviceIds.udevd, define });
}
