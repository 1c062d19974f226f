import { serviceIds } from '@nodewright/contract';
import type { FollowingService } from '@nodewright/controllers';
import { nodeResolverFolder, resolverFolder } from '@nodewright/node-files';
import type { RpcService } from '@nodewright/rpc';
import { declaredService, type ServiceDefinition, type ServiceManager } from '@nodewright/services';
import { followLogFile } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import { imageCacheConfigs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { prepareFolder } from '../base/host/prepare-folder.ts';
import { nodeFolders } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import { createDaemonServiceController } from './controllers/daemon-service.ts';
import type { ChildDaemon } from './domain/daemon-command.ts';
import { openDaemonConditions } from './host/daemon-conditions.ts';
import { daemonFolders, neighbourLogFile } from './host/daemon-folders.ts';
import { createDaemonRunner, type DaemonRunnerInit } from './host/daemon-runner.ts';
import { type ChildServiceInit, childService, daemonsOf, neighbourService } from './host/daemon-services.ts';
import { writeStartedFile } from './host/started-file.ts';
import { createRegistryCalls } from './rpc/registry-calls.ts';
import { openRuntimeSocket } from './rpc/runtime-sockets.ts';

export interface OpenDaemonsInit
  extends Omit<ChildServiceInit, 'conditions' | 'runner' | 'options'>,
    Omit<DaemonRunnerInit, 'servicesFolder' | 'options'> {
  readonly options: ChildServiceInit['options'] & DaemonRunnerInit['options'];
  readonly services: ServiceManager;
  /** The folder of the daemons that machined starts; `undefined` when the container engine runs them. */
  readonly servicesFolder: string | undefined;
  readonly isControlPlane: () => boolean;
  readonly state: State;
  /** The service to which trustd passes the reports of workers. */
  readonly membership: RpcService;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Aborts when the node stops, and ends the open streams of the daemons. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
}

export interface DaemonsTopic extends Topic {
  /**
   * Lets the controller start the daemon while the node's resources require it. Resolves when the daemon was
   * started, or is not required yet.
   */
  begin(daemon: ChildDaemon, signal: AbortSignal): Promise<void>;
  /** The daemons that run in containers of their own next to machined; empty when machined starts the daemons. */
  neighbours(): readonly string[];
}

/**
 * Opens the topic of daemons: the services of apid, trustd, registryd and udevd-bridge, and the sockets over which the first three read
 * resources. It ends with `scope`.
 */
export function openDaemons(init: OpenDaemonsInit, scope: AsyncDisposableStack): DaemonsTopic {
  const { servicesFolder } = init;
  // Holds what a daemon opens when it starts. It is registered here, so it is closed after everything that is
  // registered later on `scope`.
  const inUse = scope.use(new AsyncDisposableStack());
  const followers = {
    apid: createDaemonServiceController('apid', followingService('apid', init, inUse)),
    trustd: createDaemonServiceController('trustd', followingService('trustd', init, inUse)),
    registryd: createDaemonServiceController('registryd', followingService('registryd', init, inUse)),
    'udevd-bridge': createDaemonServiceController(
      'udevd-bridge',
      followingService('udevd-bridge', init, inUse),
    ),
  };
  return {
    controllers: Object.values(followers),
    api: {
      'suite.registry.v1.RegistryService': createRegistryCalls({
        ...{ socket: init.layout.paths.registrydSocket, telemetry: init.telemetry },
        isEnabled: () => hasImageCache(init.state),
      }),
    },
    begin: (daemon, signal) => followers[daemon].begin(signal),
    neighbours: () => (servicesFolder === undefined ? daemonsOf(init.isControlPlane()) : []),
  };
}

async function hasImageCache(state: State): Promise<boolean> {
  const found = await state.list(imageCacheConfigs);
  return found.some(({ spec }) => spec.status !== 'disabled');
}

/** The service of a daemon, which is declared at its first start. */
function followingService(
  daemon: ChildDaemon,
  init: OpenDaemonsInit,
  inUse: AsyncDisposableStack,
): FollowingService {
  const { services } = init;
  return declaredService({ services, id: daemon, define: () => openDaemon(daemon, init, inUse) });
}

/** Creates the folders and the socket of a daemon and returns its service. They end with `inUse`. */
async function openDaemon(
  daemon: ChildDaemon,
  init: OpenDaemonsInit,
  inUse: AsyncDisposableStack,
): Promise<ServiceDefinition> {
  const { servicesFolder, state, layout, logs } = init;
  // A neighbour brings its own folders; that of its runtime socket is made with the socket.
  const own = servicesFolder === undefined ? [] : daemonFolders(layout, daemon);
  // It must be there before the container, which shows it.
  const shown = init.containers === undefined ? [] : [resolverFolder, nodeResolverFolder];
  const resolver = shown.map((path) => ({ path: layout.root + path, mode: 0o755 }));
  for (const folder of [...nodeFolders(layout), ...own, ...resolver]) await prepareFolder(folder);
  // If a step fails, this scope closes everything, and the next start opens it again.
  await using scope = new AsyncDisposableStack();
  if (daemon !== serviceIds.udevdBridge) await openRuntimeSocket(daemon, init, scope);
  // Every node begins this daemon, and before the others.
  else if (servicesFolder === undefined) await writeStartedFile(layout.paths.startedFile, init.now());
  const conditions = await openDaemonConditions(daemon, state, init.udevd !== undefined, scope);
  if (servicesFolder === undefined)
    scope.use(followLogFile(neighbourLogFile(layout, daemon), () => logs.open(daemon)));
  inUse.use(scope.move());
  if (servicesFolder === undefined) return neighbourService(daemon, { ...init, conditions });
  const runner = createDaemonRunner(daemon, { ...init, servicesFolder });
  return childService(daemon, { ...init, conditions, runner });
}
