import { channel } from 'node:diagnostics_channel';
import { ControllerRuntime } from '@nodewright/controllers';
import { createRpcServer } from '@nodewright/rpc';
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
 * The fourth stage: starts the controllers of all topics and serves their API on the node's socket. Both end
 * with `scope`.
 */
export async function serveApi(
  host: Host,
  { state, view }: SharedState,
  { all, config }: NodeTopics,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { world, layout, log, telemetry, now, stopSignal } = host;
  const controllers = scope.use(new ControllerRuntime({ state, log, telemetry }));
  for (const topic of Object.values(all)) {
    for (const controller of topic.controllers) controllers.register(controller);
  }
  if (controllerChannel.hasSubscribers)
    controllerChannel.publish(describeControllers(all, controllers.graph()));
  const access = openAccess({
    ...{ state, now, stopSignal, graph: () => controllers.graph() },
    surroundings: () => ({
      isControlPlane: isControlPlaneNow(view),
      isMaintenance: config.isMaintenance(),
      holdsConfiguration: () => isThere(layout.paths.machineConfig),
      refusesMachineCalls: world.refusesMachineCalls,
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
  controllers.start();
  const count = Object.values(all).reduce((sum, topic) => sum + topic.controllers.length, 0);
  log.info({ controllers: count }, 'controllers started');
}

function describeControllers(topics: NodeTopics['all'], edges: ReturnType<ControllerRuntime['graph']>) {
  const named = Object.entries(topics).flatMap(([topic, { controllers }]) =>
    controllers.map(({ name }) => [name, topic] as const),
  );
  return { topics: Object.fromEntries(named), edges };
}
