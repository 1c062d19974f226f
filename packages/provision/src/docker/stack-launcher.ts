import { buildInfo } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { NodeLauncher } from '../cluster/cluster-kind.ts';
import type { Creation } from '../cluster/creation.ts';
import type { Detached } from '../cluster/start-detached.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { engineVariables, requireEngine } from '../engine/index.ts';
import type { DockerParts } from './docker-parts.ts';
import { configureContainers, handOutMaterial } from './hand-out-material.ts';
import { otherBuildNote } from './other-build-note.ts';
import { placeStack, reachesNodes, stackEndpoints } from './place-stack.ts';
import { removeHeldImages } from './remove-held-images.ts';
import { composeWords, engineOf } from './stack-engine.ts';
import { countObjects, listContainers, nodeServices, removeObjects } from './stack-objects.ts';
import { startKeeper } from './start-keeper.ts';
import { watchForHopelessContainer } from './watch-for-hopeless-container.ts';

/**
 * Starts nodes as containers of a compose project. The engine and a detached keeper restart them when they
 * end.
 */
export function openStackLauncher(
  creation: Creation<DockerParts>,
  state: ClusterState | undefined,
  undo: AsyncDisposableStack,
): NodeLauncher {
  const { request, folder, parts, progress, signal } = creation;
  const engine = engineOf(folder, state, parts);
  let keeper: Detached | undefined;
  const compose = (words: readonly string[]) =>
    engine.run([...composeWords(folder, request.name), ...words], { signal });
  const startDaemons = () =>
    progress.step('daemons', () => compose(['up', '--detach', '--no-build', '--no-recreate']));
  const keep = async () => {
    keeper = await progress.step('keeper', () => startKeeper(folder, parts, signal));
    return keeper;
  };
  return {
    draft: () => ({
      stack: {
        ...{ tag: parts.tag, jaegerPort: 0, otlpPort: 0, publishedPorts: {} },
        ...(request.nodeImage === undefined ? {} : { nodeImage: request.nodeImage }),
        engine: engineVariables(parts.environment),
      },
    }),
    async place(draft) {
      // If this process is killed, the keeper loses its starter and exits, and the state still says
      // `creating`.
      let isPlaced = false;
      undo.defer(() => removeHeldImages(engine, request.name));
      undo.defer(() => removeObjects(engine, folder.path, { graceful: false, mayAppear: !isPlaced }));
      const planned = await progress.step('containers', () => placeStack(creation, engine, draft));
      isPlaced = true;
      const isOnNetwork = await reachesNodes(planned.network?.gateway ?? '');
      return { state: planned, endpoints: stackEndpoints(planned, isOnNetwork) };
    },
    configure: (planned, material) => configureContainers(creation, planned, material),
    handOut: (planned, files) => handOutMaterial(creation, engine, planned, files),
    async launch() {
      // The keeper can start at the same time, because it reads from the engine which containers run.
      const starting = keep();
      undo.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
      const running = startDaemons();
      // Wait until compose has finished, so that it does not start containers that are being removed.
      undo.defer(async () => void (await Promise.allSettled([running])));
      await Promise.all([starting, running]);
    },
    async checkData() {
      const { volumes } = await countObjects(engine, folder.path);
      if (volumes > 0) return;
      throw new Fault(
        'data-loss',
        `the volumes of cluster "${request.name}" are missing in the engine: destroy it and create it again (talosctl cluster destroy --name ${request.name})`,
      );
    },
    async launchAgain() {
      await startDaemons();
      undo.use(await keep());
    },
    launchMissing: async () => void (await startDaemons()),
    async launchNode(_state, node) {
      await requireEngine(engine);
      const services = await nodeServices(engine, folder.path, node);
      await progress.step(node, () => compose(['start', ...services]));
      const containers = await listContainers(engine, folder.path);
      const running = new Set(containers.filter((each) => each.isRunning).map((each) => each.service));
      return (name) => name === node || running.has(name);
    },
    async release() {
      if (keeper === undefined) throw new Fault('internal', 'no keeper was started');
      await keeper.release();
    },
    // `watchForHopeless` finds this out from the output of the node.
    isWiped: () => false,
    // A published port accepts connections even if no process listens behind it.
    reaches: ({ address }, endpoint) => endpoint === address,
    logOf: (node) => `talosctl cluster logs --name ${request.name} ${node}`,
    watchForHopeless: (_state, wanted) => watchForHopelessContainer(engine, folder.path, wanted),
    etcd: (_state, { isNewCluster }) => ({ kind: 'present', isNew: isNewCluster }),
    buildNote: (commits) => otherBuildNote(parts.tag, commits, buildInfo.sha),
  };
}
