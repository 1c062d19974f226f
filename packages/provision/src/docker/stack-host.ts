import { ports } from '@nodewright/contract';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { NodeHost } from '../cluster/cluster-kind.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { requireEngine } from '../engine/index.ts';
import { lookAtStack } from './look-at-stack.ts';
import { reachesNodes } from './place-stack.ts';
import { removeHeldImages } from './remove-held-images.ts';
import { composeWords, engineOf, type StackEngineInit } from './stack-engine.ts';
import { stackLogs, stackServices } from './stack-logs.ts';
import { countObjects, nodeServices, removeObjects } from './stack-objects.ts';

/** The nodes of a cluster of containers. Their state comes from the engine and from the keeper. */
export function openStackHost(
  folder: ClusterFolder,
  state: ClusterState | undefined,
  init: StackEngineInit,
): NodeHost {
  const engine = engineOf(folder, state, init);
  return {
    require: () => requireEngine(engine),
    look: (state, supervisorPid) => lookAtStack(engine, folder, state, supervisorPid),
    async stop({ name }, progress) {
      // Stop the keeper first: it could miss the event that a container was stopped, and restart it.
      await progress.step('keeper', () => stopProcesses(folder, { graceful: true }));
      await progress.step('containers', () => engine.run([...composeWords(folder, name), 'stop']));
    },
    async stopNode({ name }, node, _supervisorPid, progress) {
      const services = await nodeServices(engine, folder.path, node);
      await progress.step(node, () => engine.run([...composeWords(folder, name), 'stop', ...services]));
    },
    async remove(name, { graceful, progress }) {
      await progress.step('keeper', () => stopProcesses(folder, { graceful }));
      await progress.step('containers', async () => {
        // After a killed creation, a compose command may still be creating objects.
        await removeObjects(engine, folder.path, { graceful, mayAppear: state?.phase !== 'created' });
        await removeHeldImages(engine, name);
      });
    },
    async apiOf({ network, stack }, { name, address }) {
      if (await reachesNodes(network?.gateway ?? '')) return `${address}:${ports.apid}`;
      const published = stack?.publishedPorts[name];
      return published === undefined ? undefined : `127.0.0.1:${published}`;
    },
    countObjects: () => countObjects(engine, folder.path),
    logs: ({ name, stack }, nodes, request) =>
      stackLogs(engine, composeWords(folder, name), stackServices(nodes, stack), request),
  };
}
