import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { NodeRunState } from '../domain/claim.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** Longer than the supervisor waits for machined to stop, in milliseconds. */
export const stopTimeoutMs = 30_000;
const pollMs = 50;

/** Waits until the supervisor reports this state of the node. Throws a Fault `deadline-exceeded`. */
export async function awaitRunState(
  folder: ClusterFolder,
  state: ClusterState,
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
