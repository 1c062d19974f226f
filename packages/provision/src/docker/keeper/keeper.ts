import { readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { Fault, faultFrom } from '@nodewright/fault';
import { keepOutputBounded } from '../../cluster/bounded-output.ts';
import { type ClusterFolder, clusterFolder } from '../../cluster/cluster-folder.ts';
import { awaitFolderEnd, openFolderAnchor } from '../../cluster/folder-anchor.ts';
import { connectStarter, type Starter } from '../../cluster/starter.ts';
import { holdSupervisorLock, recordSupervisor } from '../../cluster/supervisor-record.ts';
import { type ClusterState, decodeClusterState } from '../../domain/cluster-state.ts';
import { type Engine, openEngine } from '../../engine/index.ts';
import { removeHeldImages } from '../remove-held-images.ts';
import { removeObjects } from '../stack-objects.ts';
import { NodeContainer } from '../systems/node-container.ts';
import { NodeSystems } from '../systems/node-systems.ts';
import { ContainerKeeper } from './keep-containers.ts';

/** How often to check whether the cluster's folder still exists, in milliseconds. */
const folderCheckMs = 2_000;
/** How many checks in a row may find a folder that is being removed, or that cannot be read. */
const emptyLooks = 5;
const unreadableLooks = 5;

const options = {
  folder: {
    env: 'KEEPER_FOLDER',
    type: 'path',
    required: true,
    description: "the cluster's folder, with state.yaml",
  },
} as const;

type Context = DaemonContext<OptionValues<typeof options>>;

/** The description that a keeper sends on its socket. */
export interface KeeperOwner {
  readonly cluster: string;
  readonly folder: string;
  readonly pid: number;
  readonly since: string;
  /** How often this keeper has started a container, by service. */
  readonly starts: Readonly<Record<string, number>>;
}

/**
 * The detached process of one cluster of containers. It restarts containers that the engine does not restart.
 */
export const keeper: DaemonDefinition<typeof options> = {
  name: 'docker-keeper',
  summary: 'restarts the containers of a cluster when they are killed',
  options,
  async start(context, scope) {
    const starter = connectStarter();
    try {
      await keep(context, scope, starter);
    } catch (error) {
      await starter?.report({ kind: 'refused', reason: faultFrom(error).message });
      throw error;
    }
  },
};

async function keep(context: Context, scope: AsyncDisposableStack, starter: Starter | undefined) {
  const folder = clusterFolder(realpathSync(context.options.folder));
  const anchor = scope.use(await openFolderAnchor(folder));
  const state = decodeClusterState(readFileSync(folder.state, 'utf8'), folder.state);
  if (state.provisioner !== 'docker' || state.stack === undefined)
    throw new Fault('failed-precondition', `${folder.path} is not a cluster of containers`);
  const since = new Date().toISOString();
  const { log, signal, environment } = context;
  const engine = openEngine({ environment, variables: state.stack.engine, folder: folder.path });
  const systems =
    state.stack.nodeImage === undefined ? undefined : systemsOf(state, { engine, folder, log, signal });
  const now = () => Date.now();
  const containers = new ContainerKeeper({ engine, folder: folder.path, systems, log, signal, now });
  const describe = (): KeeperOwner => ({
    cluster: state.name,
    folder: folder.path,
    pid: process.pid,
    since,
    starts: Object.fromEntries(containers.starts),
  });
  scope.use(keepOutputBounded([folder.supervisorLog]));
  scope.use(await holdSupervisorLock(folder, state.name, describe));
  await recordSupervisor(folder, scope, { pid: process.pid, since, cidr: state.network?.cidr ?? '' });
  // A keeper that was killed may have left gibibytes.
  await rm(folder.scratch, { recursive: true, force: true }).catch((error: unknown) =>
    log.warn({ error: faultFrom(error).message }, 'what is left of an artefact cannot be removed'),
  );
  await containers.look();
  void systems?.look();

  // If the working directory were removed, the commands of the engine could not start.
  process.chdir('/');
  let removing: Promise<void> | undefined;
  const removeAll = async () => {
    await removeObjects(engine, folder.path, { graceful: false });
    await removeHeldImages(engine, state.name);
  };
  const end = () => {
    if (!signal.aborted) process.kill(process.pid, 'SIGTERM');
  };
  // A start that fails closes the scope and aborts nothing.
  const closed = new AbortController();
  const ends = AbortSignal.any([signal, closed.signal]);
  const watchFolder = async () => {
    const fate = await awaitFolderEnd(anchor, {
      everyMs: folderCheckMs,
      emptyLooks,
      unreadableLooks,
      signal: ends,
    });
    if (fate === undefined) return;
    if (fate.kind !== 'removed') {
      const facts = { folder: folder.path, reason: fate.reason };
      log.warn(facts, 'the keeper ends and removes nothing: start the cluster again when its folder is back');
      return end();
    }
    log.warn({ folder: folder.path }, 'the folder of the cluster was removed');
    // A user who removes the folder of a cluster, or the whole clone, wants its containers removed as well.
    removing = removeAll().catch((error: unknown) =>
      log.error({ err: error }, 'cannot remove the containers of the cluster'),
    );
    await removing;
    end();
  };
  const watching = watchFolder();
  scope.defer(() => {
    closed.abort();
    return watching;
  });
  const running = containers.run().then(async () => {
    // The last container is removed before the network and the volumes: wait for these.
    await removing;
    end();
  });
  scope.defer(() => running);

  let released = starter === undefined;
  starter?.onOrder((order) => {
    if (order.kind === 'release') released = true;
  });
  starter?.onGone(() => {
    if (!released) process.kill(process.pid, 'SIGTERM');
  });
  await starter?.report({ kind: 'claimed', cidr: state.network?.cidr ?? '' });
}

/** The systems of nodes that are one container each. */
function systemsOf(
  { name: cluster, nodes }: ClusterState,
  given: Pick<Context, 'log' | 'signal'> & { readonly engine: Engine; readonly folder: ClusterFolder },
): NodeSystems {
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const containers = nodes.map(
    ({ name: node }) => [node, new NodeContainer({ ...given, cluster, node, alone })] as const,
  );
  return new NodeSystems({ ...given, nodes: new Map(containers) });
}
