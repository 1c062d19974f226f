// Clusters whose nodes are entries of a map: an implementation of the port for tests of the lifecycle. Only
// the keeper is a process, because a cluster counts as running while its keeper runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { ClusterKind, NodeHost, NodeLauncher } from '../cluster/cluster-kind.ts';
import type { CreateParts, Creation } from '../cluster/creation.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { planNodes } from '../domain/cluster-shape.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { clusterVariable } from '../domain/owned-process.ts';
import { gatewayAddress, subnetCidr } from '../domain/subnet.ts';

const subnet = { first: 10, second: 99, third: 0 };

/** The running nodes, by cluster folder and name, each with a number that stands for its pid. */
type Running = Map<string, Map<string, number>>;

export interface MemoryKindInit {
  /** Nodes whose API this host cannot reach. */
  readonly hidden?: readonly string[];
  /** Lines of the output of each node, by its name. */
  readonly output?: (node: string) => readonly string[];
}

export function memoryKind(init: MemoryKindInit = {}): ClusterKind<CreateParts> {
  const running: Running = new Map();
  return {
    provisioner: 'process',
    async checkRequest() {},
    openHost: (folder) => openMemoryHost(folder, running, init),
    openLauncher: (creation, _state, undo) => openMemoryLauncher(creation, running, undo),
  };
}

function openMemoryHost(
  folder: ClusterFolder,
  running: Running,
  { hidden: hiddenNodes = [], output = () => ['started'] }: MemoryKindInit,
): NodeHost {
  const hidden = new Set(hiddenNodes);
  const nodesOf = () => running.get(folder.path) ?? new Map<string, number>();
  const stopAll = async (graceful: boolean) => {
    running.delete(folder.path);
    await stopProcesses(folder, { graceful });
  };
  return {
    async require() {},
    async look({ nodes }, supervisorPid) {
      const isRunning = supervisorPid !== undefined;
      return {
        isRunning,
        nodes: nodes.map((node) => {
          const pid = nodesOf().get(node.name);
          if (!isRunning) return { ...node, state: 'stopped' };
          return pid === undefined
            ? { ...node, state: 'off', restarts: 0 }
            : { ...node, state: 'running', pid, restarts: 0 };
        }),
      };
    },
    stop: (_state, progress) => progress.step('nodes', () => stopAll(true)),
    stopNode: (_state, node, _supervisorPid, progress) =>
      progress.step(node, async () => void nodesOf().delete(node)),
    remove: (_name, { graceful, progress }) => progress.step('nodes', () => stopAll(graceful)),
    async apiOf(_state, { name, address }) {
      return hidden.has(name) ? undefined : `${address}:50000`;
    },
    async countObjects() {
      return undefined;
    },
    async *logs(_state, nodes) {
      for (const { name } of nodes) for (const text of output(name)) yield { node: name, text };
    },
  };
}

let lastPid = 0;

function openMemoryLauncher(
  { folder, request }: Creation,
  running: Running,
  undo: AsyncDisposableStack,
): NodeLauncher {
  const start = (names: readonly string[]) => {
    const nodes = running.get(folder.path) ?? new Map<string, number>();
    running.set(folder.path, nodes);
    for (const name of names) if (!nodes.has(name)) nodes.set(name, ++lastPid);
  };
  const startAll = async ({ nodes }: ClusterState) => start(nodes.map(({ name }) => name));
  const keepAll = async (state: ClusterState) => {
    undo.defer(() => stopProcesses(folder, { graceful: false }));
    await startKeeper(folder);
    await startAll(state);
  };
  return {
    draft: () => ({}),
    async place(draft) {
      const nodes = planNodes(request.shape, subnet);
      const endpoints = nodes.filter(({ type }) => type === 'controlplane').map(({ address }) => address);
      const network = { cidr: subnetCidr(subnet), gateway: gatewayAddress(subnet) };
      return { state: { ...draft, network, nodes, kubernetesEndpoint: 'https://10.99.0.2:6443' }, endpoints };
    },
    async configure({ nodes, name: clusterName, kubernetesEndpoint: endpoint = '' }, material) {
      const { patches } = request;
      const common = { clusterName, endpoint, timeServer: undefined, certSans: [], patches };
      return new Map(nodes.map((node) => [node.name, material.nodeConfig({ ...common, node })]));
    },
    async handOut() {},
    launch: keepAll,
    async checkData() {},
    launchAgain: keepAll,
    launchMissing: startAll,
    async launchNode(_state, node) {
      start([node]);
      return (name) => name === node;
    },
    async release() {},
    isWiped: () => false,
    reaches: () => false,
    logOf: (node) => `memory of ${node}`,
    watchForHopeless: async (_state, signal) => {
      if (!signal.aborted) await once(signal, 'abort');
      return undefined;
    },
    etcd: () => ({ kind: 'absent', note: undefined }),
    buildNote: () => undefined,
  };
}

async function startKeeper(folder: ClusterFolder): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    ...{ stdio: 'ignore', detached: true },
    env: { ...process.env, [clusterVariable]: folder.path },
  });
  await once(child, 'spawn');
  child.unref();
  await writeFile(folder.supervisorPid, `${child.pid}\n`, { mode: 0o600 });
}
