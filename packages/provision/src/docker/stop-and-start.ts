import type { Creation } from '../cluster/creation.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { readTalosconfig } from '../cluster/restore-context.ts';
import { holdCluster, viewAgain } from '../cluster/start-cluster.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { type Engine, requireEngine } from '../engine/index.ts';
import type { ClusterChange, ClusterView, Progress } from '../provisioner.ts';
import { awaitNodes } from './await-nodes.ts';
import type { DockerParts } from './docker-parts.ts';
import { viewStack } from './show-stack.ts';
import { composeWords, engineOf, type StackEngineInit } from './stack-engine.ts';
import { listContainers } from './stack-objects.ts';

/** Stops the containers of a cluster, or those of one node. Volumes stay; what is stopped already is left alone. */
export async function stopStack(
  change: ClusterChange,
  progress: Progress,
  init: StackEngineInit,
): Promise<ClusterView> {
  await using held = await holdCluster(change, change.node);
  const { folder, state } = held;
  const engine = engineOf(folder, state, init);
  await requireEngine(engine);
  const { node } = change;
  // The keeper leaves alone what was stopped, but not what it knows nothing of.
  if (node === undefined) await progress.step('keeper', () => stopProcesses(folder, { graceful: true }));
  const services = node === undefined ? [] : await servicesOf(engine, folder.path, node);
  await progress.step(node ?? 'containers', () =>
    engine.run([...composeWords(folder, change.name), 'stop', ...services]),
  );
  return viewAgain('docker', folder, change, (after, pid) => viewStack(folder, after, pid, init));
}

/** Starts the containers of one node, and waits until it answers. */
export async function startStackNode(
  creation: Creation<DockerParts>,
  state: ClusterState,
  node: string,
): Promise<void> {
  const { folder, parts, progress, request, signal } = creation;
  const talosconfig = await readTalosconfig(creation);
  const engine = engineOf(folder, state, parts);
  await requireEngine(engine);
  const services = await servicesOf(engine, folder.path, node);
  await progress.step(node, () =>
    engine.run([...composeWords(folder, request.name), 'start', ...services], { signal }),
  );
  const running = new Set(
    (await listContainers(engine, folder.path)).filter((each) => each.isRunning).map((each) => each.service),
  );
  // Endpoints are known by the place of a control plane among all of them: none is left out before the node itself.
  const isNeeded = ({ name }: { readonly name: string }) => name === node || running.has(name);
  await awaitNodes(creation, state, talosconfig, isNeeded);
}

/** The services of a node in the compose file: its machined, and what lives in the network of that. */
async function servicesOf(engine: Engine, folder: string, node: string): Promise<string[]> {
  const containers = await listContainers(engine, folder);
  const services = containers.map(({ service }) => service);
  return [...new Set(services)]
    .filter((service) => service === node || service.startsWith(`${node}-`))
    .sort();
}
