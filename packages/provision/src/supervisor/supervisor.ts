import { readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { Fault, faultFrom } from '@nodewright/fault';
import { createSntpServer } from '@nodewright/sntp';
import { keepOutputBounded } from '../cluster/bounded-output.ts';
import { type ClusterFolder, clusterFolder } from '../cluster/cluster-folder.ts';
import { killClusterProcesses } from '../cluster/cluster-processes.ts';
import { awaitFolderEnd, type FolderAnchor, openFolderAnchor } from '../cluster/folder-anchor.ts';
import { connectStarter, type Starter } from '../cluster/starter.ts';
import { holdSupervisorLock, recordSupervisor } from '../cluster/supervisor-record.ts';
import type { ClaimOwner } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { planNodes } from '../domain/cluster-shape.ts';
import { type ClusterState, decodeClusterState } from '../domain/cluster-state.ts';
import { nodeInSpans } from '../domain/node-in-spans.ts';
import { clusterVariable } from '../domain/owned-process.ts';
import { gatewayAddress, parseSubnet, subnetCidr } from '../domain/subnet.ts';
import { startWishSignal } from '../domain/supervisor-message.ts';
import { findEtcd } from '../process/find-etcd.ts';
import { requireKubernetes } from '../process/find-kubernetes.ts';
import { takeNodeWishes } from '../process/node-wishes.ts';
import { keepSpans } from '../spans/keep-spans.ts';
import { holdClaim } from './hold-claim.ts';
import { nextStartOf } from './next-start.ts';
import { NodeRunner } from './node-runner.ts';

/**
 * Longer than the drain timeout of machined, which is 25 s and includes 15 s for its own daemons. Shorter
 * than the drain timeout of this daemon.
 */
const defaultStopTimeout = '27s';

/** How often to check whether the cluster's folder still exists, in milliseconds. */
const folderCheckMs = 2_000;
/** How many checks in a row may find a folder that cannot be read. */
const unreadableLooks = 5;

const options = {
  folder: {
    env: 'SUPERVISOR_FOLDER',
    type: 'path',
    required: true,
    description: "the cluster's folder, with state.yaml",
  },
  cidrs: {
    env: 'SUPERVISOR_CIDRS',
    type: 'list',
    description: 'address ranges to try; the first free one is claimed (default: the one in state.yaml)',
  },
  servicesDir: {
    env: 'SUPERVISOR_SERVICES_DIR',
    type: 'path',
    description: "folder of the daemons' bundles (default: the parent of the folder of this bundle)",
  },
  nodeBinary: {
    env: 'SUPERVISOR_NODE_BINARY',
    type: 'path',
    description: 'Node.js executable that runs machined (default: the one that runs this program)',
  },
  stopTimeout: {
    env: 'SUPERVISOR_STOP_TIMEOUT',
    type: 'duration',
    default: defaultStopTimeout,
    description: 'how long machined may take to stop before it is killed',
  },
} as const;

type Context = DaemonContext<OptionValues<typeof options>>;

/**
 * The detached process of one cluster of processes: claims its addresses, serves the time, and keeps its
 * nodes running.
 */
export const supervisor: DaemonDefinition<typeof options> = {
  name: 'process-supervisor',
  summary: 'keeps the nodes of a process cluster running',
  options,
  drainTimeoutMs: 30_000,
  async start(context, scope) {
    const starter = connectStarter();
    try {
      await supervise(context, scope, starter);
    } catch (error) {
      await starter?.report({ kind: 'refused', reason: faultFrom(error).message });
      throw error;
    }
  },
};

async function supervise(context: Context, scope: AsyncDisposableStack, starter: Starter | undefined) {
  const folder = clusterFolder(realpathSync(context.options.folder));
  const anchor = scope.use(await openFolderAnchor(folder));
  const state = decodeClusterState(readFileSync(folder.state, 'utf8'), folder.state);
  if (starter === undefined && state.phase === 'creating') {
    throw new Fault('failed-precondition', `${folder.path} is not complete: create the cluster again`);
  }
  const since = new Date().toISOString();
  const nodes: NodeRunner[] = [];
  const describe = (): ClaimOwner => ({
    cluster: state.name,
    folder: folder.path,
    pid: process.pid,
    since,
    nodes: nodes.map((node) => node.status()),
  });

  scope.use(keepOutputBounded([folder.supervisorLog]));
  scope.use(await holdSupervisorLock(folder, state.name, describe));
  // Nodes that a killed supervisor left running still have the ports and write to the same folders.
  await killClusterProcesses(folder, 5_000);
  const servicesFolder = resolve(context.options.servicesDir ?? dirname(dirname(process.argv[1] ?? '')));
  const etcd = findEtcd(servicesFolder, context.environment);
  const kubernetes =
    state.kubernetes === undefined ? undefined : requireKubernetes(servicesFolder, context.environment);
  const wanted = {
    shape: state.shape,
    hasEtcd: etcd !== undefined,
    hasKubernetes: kubernetes !== undefined,
  };
  const claim = scope.use(await holdClaim(candidates(context, state), wanted, describe));
  scope.use(await createSntpServer({ address: gatewayAddress(claim.subnet), port: clusterPorts.time }));
  await recordSupervisor(folder, scope, { pid: process.pid, since, cidr: subnetCidr(claim.subnet) });

  const traces = await keepSpans(context.environment, folder, gatewayAddress(claim.subnet), scope);

  const nodeBinary = context.options.nodeBinary ?? process.execPath;
  const programs = { servicesFolder, nodeBinary, etcd, kubernetes };
  scope.defer(async () => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  });
  for (const node of planNodes(state.shape, claim.subnet)) {
    const root = folder.nodeRoot(node.name);
    nodes.push(
      new NodeRunner({
        name: node.name,
        nextStart: nextStartOf(node, root, { programs, log: context.log }),
        root,
        logPath: folder.nodeLog(node.name),
        pidPath: folder.nodePid(node.name),
        environment: {
          ...{ ...context.environment, ...nodeInSpans(node.name, context.environment) },
          ...{ ...traces(node.name), [clusterVariable]: folder.path },
        },
        log: context.log,
        stopTimeoutMs: context.options.stopTimeout,
        now: () => new Date(),
      }),
    );
  }
  // Discard requests to an earlier supervisor.
  takeNodeWishes(folder);
  obeyWishes(nodes, folder, scope);
  stopWithoutFolder(context, scope, anchor);
  if (starter === undefined) for (const node of nodes) node.start();
  else await obey(starter, nodes, subnetCidr(claim.subnet));
}

/** Starts and stops nodes as requested by a command. Without a request, starts all nodes that are off. */
function obeyWishes(nodes: readonly NodeRunner[], folder: ClusterFolder, scope: AsyncDisposableStack): void {
  const obey = () => {
    const wishes = takeNodeWishes(folder);
    for (const node of nodes) {
      if (wishes === undefined) node.startIfOff();
      else if (wishes.start.includes(node.name)) node.start();
      else if (wishes.stop.includes(node.name)) node.turnOff();
    }
  };
  process.on(startWishSignal, obey);
  scope.defer(() => void process.off(startWishSignal, obey));
}

/**
 * A user who removes the folder of a cluster, or the whole clone, wants its processes stopped as well. They cannot run
 * without their folders either when these were moved or unmounted.
 */
function stopWithoutFolder(
  { log, options, signal }: Context,
  scope: AsyncDisposableStack,
  anchor: FolderAnchor,
): void {
  // A start that fails closes the scope and aborts nothing.
  const closed = new AbortController();
  const ends = AbortSignal.any([signal, closed.signal]);
  const watch = async () => {
    const fate = await awaitFolderEnd(anchor, {
      everyMs: folderCheckMs,
      emptyLooks: 0,
      unreadableLooks,
      signal: ends,
    });
    if (fate === undefined) return;
    const reason = fate.kind === 'removed' ? 'the folder was removed' : fate.reason;
    log.warn({ folder: options.folder, reason }, 'the nodes of the cluster are stopped');
    process.kill(process.pid, 'SIGTERM');
  };
  const watching = watch();
  scope.defer(() => {
    closed.abort();
    return watching;
  });
}

/**
 * Follows the orders of the process that started this one. If that process ends before it has released this
 * one, this process ends too.
 */
async function obey(starter: Starter, nodes: readonly NodeRunner[], cidr: string): Promise<void> {
  let released = false;
  starter.onOrder((order) => {
    if (order.kind === 'release') released = true;
    else for (const node of nodes.filter(({ name }) => order.nodes.includes(name))) node.start();
  });
  starter.onGone(() => {
    if (!released) process.kill(process.pid, 'SIGTERM');
  });
  await starter.report({ kind: 'claimed', cidr });
}

function candidates({ options }: Context, state: ClusterState) {
  const cidrs = options.cidrs ?? (state.network === undefined ? [] : [state.network.cidr]);
  return cidrs.map(parseSubnet);
}
