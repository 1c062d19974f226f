import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { askOwner } from '../cluster/owner-socket.ts';
import { locateCluster, readCluster } from '../cluster/read-cluster.ts';
import { storedView } from '../cluster/stored-view.ts';
import { supervisorSocket } from '../cluster/supervisor-record.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { requireEngine } from '../engine/index.ts';
import type { ClusterRef, ClusterView, NodeView } from '../provisioner.ts';
import { engineOf, type StackEngineInit } from './stack-engine.ts';
import { listContainers, type StackContainer } from './stack-objects.ts';

/** The cluster and what runs of it now. */
export async function showStack(ref: ClusterRef, init: StackEngineInit): Promise<ClusterView> {
  const folder = await locateCluster(ref, { make: false });
  const { state, supervisorPid } = await readCluster(ref, folder);
  await requireEngine(engineOf(folder, state, init));
  return viewStack(folder, state, supervisorPid, init);
}

/** Asks the engine and, if it runs, the keeper how the nodes are. */
export async function viewStack(
  folder: ClusterFolder,
  state: ClusterState,
  supervisorPid: number | undefined,
  init: StackEngineInit,
): Promise<ClusterView> {
  const containers = await listContainers(engineOf(folder, state, init), folder.path);
  const starts = supervisorPid === undefined ? {} : await askStarts(folder, supervisorPid);
  const isRunning = containers.some((container) => container.isRunning);
  const { stack } = state;
  return {
    ...storedView(folder, state, supervisorPid, isRunning ? 'running' : 'stopped'),
    ...(stack === undefined || stack.jaegerPort === 0
      ? {}
      : {
          jaeger: {
            url: `http://127.0.0.1:${stack.jaegerPort}`,
            otlp: `http://127.0.0.1:${stack.otlpPort}`,
          },
        }),
    nodes: state.nodes.map((node) => ({
      ...node,
      ...runStateOf(node.name, containers, starts),
      ...(stack?.publishedPorts[node.name] === undefined
        ? {}
        : { published: `127.0.0.1:${stack.publishedPorts[node.name]}` }),
    })),
  };
}

/** How the node's machined is; how often any of the node's containers was started again. */
function runStateOf(
  node: string,
  containers: readonly StackContainer[],
  starts: Readonly<Record<string, number>>,
): Pick<NodeView, 'state' | 'pid' | 'restarts' | 'since'> {
  const own = containers.filter(({ service }) => service === node || service.startsWith(`${node}-`));
  const machined = own.find(({ service }) => service === node);
  const restarts = own.reduce((sum, { service, restarts }) => sum + restarts + (starts[service] ?? 0), 0);
  if (machined?.isRestarting) return { state: 'restarting', restarts };
  if (!machined?.isRunning) return { state: 'stopped', restarts };
  return { state: 'running', pid: machined.pid, restarts, since: machined.startedAt };
}

/** Starts by the keeper, by service; nothing when it does not answer, or someone else does. */
async function askStarts(folder: ClusterFolder, pid: number): Promise<Readonly<Record<string, number>>> {
  const owner = (await askOwner(supervisorSocket(folder))) as
    | { readonly pid?: unknown; readonly starts?: Readonly<Record<string, number>> }
    | undefined;
  return owner?.pid === pid ? (owner.starts ?? {}) : {};
}
