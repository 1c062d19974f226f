import { ports } from '@nodewright/contract';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { NodeHost } from '../cluster/cluster-kind.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { askSupervisor } from './ask-supervisor.ts';
import { awaitRunState, stopTimeoutMs } from './await-run-state.ts';
import { followNodeLogs } from './node-logs.ts';
import { sendNodeWishes } from './node-wishes.ts';

/** The nodes of a cluster of processes. Their state comes from the supervisor, as long as it runs. */
export function openProcessHost(folder: ClusterFolder): NodeHost {
  return {
    async require() {},
    async look(state, supervisorPid) {
      const owner = supervisorPid === undefined ? undefined : await askSupervisor(folder, state);
      const statuses = owner?.nodes ?? [];
      return {
        isRunning: supervisorPid !== undefined,
        nodes: state.nodes.map((node) => ({
          ...node,
          ...(statuses.find(({ name }) => name === node.name) ?? { state: 'stopped' as const }),
        })),
      };
    },
    async stop(_state, progress) {
      await progress.step('processes', () =>
        stopProcesses(folder, { graceful: true, timeoutMs: stopTimeoutMs }),
      );
    },
    async stopNode(state, node, supervisorPid, progress) {
      if (supervisorPid === undefined) return;
      await progress.step(node, async () => {
        await sendNodeWishes(folder, supervisorPid, { start: [], stop: [node] });
        await awaitRunState(folder, state, node, 'off');
      });
    },
    async remove(_name, { graceful, progress }) {
      await progress.step('processes', () => stopProcesses(folder, { graceful }));
    },
    async apiOf(_state, { address }) {
      return `${address}:${ports.apid}`;
    },
    async countObjects() {
      return undefined;
    },
    logs: (_state, nodes, request) =>
      followNodeLogs(
        folder,
        nodes.map(({ name }) => name),
        request,
      ),
  };
}
