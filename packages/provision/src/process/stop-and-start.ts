import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import type { Creation } from '../cluster/creation.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { readTalosconfig } from '../cluster/restore-context.ts';
import { holdCluster, viewAgain } from '../cluster/start-cluster.ts';
import type { NodeRunState } from '../domain/claim.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterChange, ClusterView, Progress } from '../provisioner.ts';
import { askSupervisor } from './ask-supervisor.ts';
import { awaitNodes } from './await-nodes.ts';
import { sendNodeWishes } from './node-wishes.ts';
import type { ProcessParts } from './process-parts.ts';
import { viewCluster } from './show-cluster.ts';

/** Above the time that a supervisor grants to machined, in milliseconds. */
const stopTimeoutMs = 30_000;
const pollMs = 50;

/** Stops a cluster of processes, or one node of it. Data stay; what is stopped already is left alone. */
export async function stopCluster(change: ClusterChange, progress: Progress): Promise<ClusterView> {
  await using held = await holdCluster(change, change.node);
  const { folder, supervisorPid } = held;
  const { node } = change;
  if (node === undefined) {
    await progress.step('processes', () =>
      stopProcesses(folder, { graceful: true, timeoutMs: stopTimeoutMs }),
    );
  } else if (supervisorPid !== undefined) {
    await progress.step(node, async () => {
      await sendNodeWishes(folder, supervisorPid, { start: [], stop: [node] });
      await awaitState(held, node, 'off');
    });
  }
  return viewAgain('process', folder, change, (after, pid) => viewCluster(folder, after, pid));
}

/** Starts one node of a cluster that runs, and waits until it answers. */
export async function startNode(
  creation: Creation<ProcessParts>,
  state: ClusterState,
  node: string,
): Promise<void> {
  const { folder } = creation;
  const talosconfig = await readTalosconfig(creation);
  const owner = await askSupervisor(folder, state);
  if (owner === undefined)
    throw new Fault('unavailable', `the supervisor does not answer: see ${folder.supervisorLog}`);
  await sendNodeWishes(folder, owner.pid, { start: [node], stop: [] });
  await awaitState({ folder, state }, node, 'running');
  // A worker is asked through a control plane: the first one that runs.
  const after = await askSupervisor(folder, state);
  const runs = (name: string) => after?.nodes.some((each) => each.name === name && each.state === 'running');
  const entrance = state.nodes.find(({ name, type }) => type === 'controlplane' && runs(name));
  const awaited = state.nodes.filter((each) => each.name === node || each === entrance);
  await awaitNodes(creation, { ...state, nodes: awaited }, talosconfig);
}

async function awaitState(
  { folder, state }: Pick<Creation, 'folder'> & { readonly state: ClusterState },
  node: string,
  wanted: NodeRunState,
): Promise<void> {
  const deadline = performance.now() + stopTimeoutMs;
  while (performance.now() < deadline) {
    const owner = await askSupervisor(folder, state);
    if (owner?.nodes.find(({ name }) => name === node)?.state === wanted) return;
    await sleep(pollMs);
  }
  throw new Fault(
    'deadline-exceeded',
    `${node} is not ${wanted} after ${stopTimeoutMs / 1000}s (log: ${folder.nodeLog(node)})`,
  );
}
