import { channel } from 'node:diagnostics_channel';
import { hasChosenStart } from '@nodewright/boot';
import { ControllerRuntime } from '@nodewright/controllers';
import { createRpcServer } from '@nodewright/rpc';
import type { State } from '@nodewright/state';
import { openAccess } from '../access/open-access.ts';
import { isThere } from '../base/host/is-there.ts';
import { linkSocket } from '../base/host/link-socket.ts';
import { prepareFolder } from '../base/host/prepare-folder.ts';
import { nodeFolders } from '../base/node-layout.ts';
import { isControlPlaneNow } from '../base/resources/node-view.ts';
import { completeServices } from '../base/rpc/complete-services.ts';
import { mergeApis } from '../base/topic.ts';
import type { Host } from './open-host.ts';
import type { SharedState } from './open-state.ts';
import type { NodeTopics } from './open-topics.ts';

/** Publishes the graph of controllers to tools that have subscribed. The generator of docs/controllers.md does. */
const controllerChannel = channel('nodewright:machined:controllers');

/**
 * The fourth stage: starts the controllers that do not run yet, and serves the API of all topics on the node's socket. All controllers
 * and the API end with `scope`.
 */
export async function serveApi(
  host: Host,
  { state, view, controllers }: SharedState,
  { all, waiting, config }: NodeTopics,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { world, layout, log, telemetry, now, stopSignal } = host;
  // They end before their topics do.
  scope.use(controllers);
  if (controllerChannel.hasSubscribers) controllerChannel.publish(describeControllers(all, host, state));
  const access = openAccess({
    ...{ state, now, stopSignal, graph: () => controllers.graph() },
    surroundings: () => ({
      isControlPlane: isControlPlaneNow(view),
      isMaintenance: config.isMaintenance(),
      holdsConfiguration: () => isThere(layout.paths.machineConfig),
      refusesMachineCalls: world.refusesMachineCalls,
      hasSystems: world.hasSlotFolder,
      hasChosen: () => hasChosenStart(config.meta.values()),
    }),
  });
  const server = scope.use(
    createRpcServer({
      services: completeServices(mergeApis([...Object.values(all), access].map(({ api }) => api))),
      middleware: [access.authorize],
      telemetry,
      log,
    }),
  );
  const { paths, users, socketDirectoryMode, socketMode } = layout;
  for (const folder of nodeFolders(layout)) await prepareFolder(folder);
  await server.listenUnix(paths.machinedSocket, {
    ...{ directoryMode: socketDirectoryMode, owner: users?.apid, socketMode },
  });
  scope.use(linkSocket(paths.upstreamMachinedSocket, paths.machinedSocket));
  for (const controller of waiting) controllers.register(controller);
  const count = Object.values(all).reduce((sum, topic) => sum + topic.controllers.length, 0);
  log.info({ controllers: count }, 'controllers started');
}

/** What the controllers declare. They do not run here. */
function describeControllers(topics: NodeTopics['all'], { log, telemetry }: Host, state: State) {
  const declared = new ControllerRuntime({ state, log, telemetry });
  const named = Object.entries(topics).flatMap(([topic, { controllers }]) =>
    controllers.map(({ name }) => [name, topic] as const),
  );
  for (const { controllers } of Object.values(topics))
    for (const controller of controllers) declared.register(controller);
  return { topics: Object.fromEntries(named), edges: declared.graph() };
}
