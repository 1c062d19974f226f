import type { FollowingService } from '@nodewright/controllers';
import type { RpcService } from '@nodewright/rpc';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { prepareFolder } from '../base/host/prepare-folder.ts';
import { nodeFolders } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import { followLogFile } from '../logs/host/follow-log-file.ts';
import { recordServicePid } from '../services/host/record-service-pid.ts';
import type { ServiceDefinition } from '../services/host/service.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import { createDaemonServiceController } from './controllers/daemon-service.ts';
import type { ChildDaemon } from './domain/daemon-command.ts';
import { openDaemonConditions } from './host/daemon-conditions.ts';
import { daemonFolders, neighbourLogFile } from './host/daemon-folders.ts';
import { type ChildServiceInit, childService, daemonsOf, neighbourService } from './host/daemon-services.ts';
import { openRuntimeSocket } from './rpc/runtime-sockets.ts';

export interface OpenDaemonsInit extends Omit<ChildServiceInit, 'conditions' | 'servicesFolder' | 'watcher'> {
  readonly services: ServiceManager;
  /** Where the daemons are that machined runs; undefined when somebody else runs them beside it. */
  readonly servicesFolder: string | undefined;
  readonly isControlPlane: () => boolean;
  readonly state: State;
  /** Where the reports go that trustd takes. */
  readonly membership: RpcService;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the streams that the daemon has open when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
}

export interface DaemonsTopic extends Topic {
  /** Lets a daemon run from now on while the node's resources want it. Resolves when it was started if it is due. */
  begin(daemon: ChildDaemon, signal: AbortSignal): Promise<void>;
  /** The daemons that run in containers of their own beside machined; none where machined runs them. */
  neighbours(): readonly string[];
}

/** apid and trustd: how they are run, and the sockets over which they learn what they need. They end with `scope`. */
export function openDaemons(init: OpenDaemonsInit, scope: AsyncDisposableStack): DaemonsTopic {
  const { servicesFolder } = init;
  // Daemons are started later, and what they use is closed after what was opened on the scope until then.
  const inUse = scope.use(new AsyncDisposableStack());
  const followers = {
    apid: createDaemonServiceController('apid', followingService('apid', init, inUse)),
    trustd: createDaemonServiceController('trustd', followingService('trustd', init, inUse)),
  };
  return {
    controllers: Object.values(followers),
    api: {},
    begin: (daemon, signal) => followers[daemon].begin(signal),
    neighbours: () => (servicesFolder === undefined ? daemonsOf(init.isControlPlane()) : []),
  };
}

/** The daemon as a service that is declared at its first start. */
function followingService(
  daemon: ChildDaemon,
  init: OpenDaemonsInit,
  inUse: AsyncDisposableStack,
): FollowingService {
  const { services } = init;
  let isDeclared = false;
  return {
    async start() {
      if (!isDeclared) services.declare([await openDaemon(daemon, init, inUse)]);
      isDeclared = true;
      services.start([daemon]);
    },
    stop: () => services.stop([daemon]),
  };
}

/** Makes what a daemon needs of this node, its folders and its socket. They end with `inUse`. */
async function openDaemon(
  daemon: ChildDaemon,
  init: OpenDaemonsInit,
  inUse: AsyncDisposableStack,
): Promise<ServiceDefinition> {
  const { servicesFolder, state, layout, logs } = init;
  for (const folder of [...nodeFolders(layout), ...daemonFolders(layout, daemon)])
    await prepareFolder(folder);
  // After a failure everything is opened again.
  await using scope = new AsyncDisposableStack();
  await openRuntimeSocket(daemon, init, scope);
  const conditions = await openDaemonConditions(daemon, state, scope);
  if (servicesFolder === undefined)
    scope.use(followLogFile(neighbourLogFile(layout, daemon), () => logs.open(daemon)));
  inUse.use(scope.move());
  if (servicesFolder === undefined) return neighbourService(daemon, { ...init, conditions });
  const watcher = recordServicePid(state, daemon);
  return childService(daemon, { ...init, servicesFolder, conditions, watcher });
}
