import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { HostView } from '../cluster/cluster-kind.ts';
import { askLockOwner } from '../cluster/socket-lock.ts';
import { supervisorLockOf } from '../cluster/supervisor-record.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { NodeView } from '../domain/provisioner.ts';
import type { Engine } from '../engine/index.ts';
import { listContainers, type StackContainer } from './stack-objects.ts';

/**
 * Reads the state of the nodes from the engine and, if the keeper runs, the numbers of restarts from the
 * keeper.
 */
export async function lookAtStack(
  engine: Engine,
  folder: ClusterFolder,
  { stack, nodes }: ClusterState,
  supervisorPid: number | undefined,
): Promise<HostView> {
  const containers = await listContainers(engine, folder.path);
  const starts = supervisorPid === undefined ? {} : await askStarts(folder, supervisorPid);
  return {
    isRunning: containers.some((container) => container.isRunning),
    ...(stack === undefined || stack.jaegerPort === 0
      ? {}
      : {
          jaeger: {
            url: `http://127.0.0.1:${stack.jaegerPort}`,
            otlp: `http://127.0.0.1:${stack.otlpPort}`,
          },
        }),
    nodes: nodes.map((node) => ({
      ...node,
      ...runStateOf(node.name, containers, starts),
      ...(stack?.publishedPorts[node.name] === undefined
        ? {}
        : { published: `127.0.0.1:${stack.publishedPorts[node.name]}` }),
    })),
  };
}

/** The state of the node's machined, and how often the node's containers were restarted in total. */
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

/**
 * How often the keeper has started containers, by service. Empty when the keeper does not answer, or another
 * process does.
 */
async function askStarts(folder: ClusterFolder, pid: number): Promise<Readonly<Record<string, number>>> {
  const owner = (await askLockOwner(supervisorLockOf(folder))) as
    | { readonly pid?: unknown; readonly starts?: Readonly<Record<string, number>> }
    | undefined;
  return owner?.pid === pid ? (owner.starts ?? {}) : {};
}
