import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { findClusterContexts, removeClusterContext } from '../cluster/cluster-context.ts';
import { type ClusterFolder, isClusterEntry } from '../cluster/cluster-folder.ts';
import { lockCluster } from '../cluster/cluster-lock.ts';
import {
  findClusterProcesses,
  killClusterProcesses,
  readLivePid,
  sendSignal,
} from '../cluster/cluster-processes.ts';
import { findCluster, locateCluster, noSuchCluster } from '../cluster/read-cluster.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRef, DestroyPlan, Progress } from '../provisioner.ts';

/** Nothing of the cluster is kept: what has not stopped by then is ended. */
const gracefulStopTimeoutMs = 5_000;
const killTimeoutMs = 5_000;

/** What destroying the cluster would end and remove, for the user to read before it happens. */
export async function planDestroyCluster(ref: ClusterRef): Promise<DestroyPlan> {
  const folder = await locateCluster(ref, { make: false });
  // A state that cannot be read is no reason to say nothing; whether it is one to stop is decided on destroy.
  const found = await findCluster(folder).catch(() => undefined);
  if (found?.kind === 'nothing') throw noSuchCluster(ref);
  const state = found?.kind === 'cluster' ? found.state : undefined;
  const place = state?.talosconfig;
  const clusterTalosconfig = await readOwnTalosconfig(folder);
  const [context] =
    place === undefined || clusterTalosconfig === undefined
      ? []
      : await findClusterContexts(place, clusterTalosconfig).catch(() => []);
  return {
    folder: folder.path,
    supervisorPid: readLivePid(folder, folder.supervisorPid),
    processes: findClusterProcesses(folder).length,
    nodes: state?.nodes.map(({ name }) => name) ?? [],
    talosconfig: place === undefined || context === undefined ? undefined : { path: place.path, context },
  };
}

/** Ends and removes everything of the cluster: processes, context, folder. */
export async function destroyCluster(
  ref: ClusterRef,
  options: { readonly force: boolean },
  progress: Progress,
): Promise<void> {
  const folder = await locateCluster(ref, { make: false });
  await using _lock = await lockCluster(folder.path, ref.name);
  const state = await stateToDestroy(ref, folder, options.force);
  await progress.step('processes', () => stopProcesses(folder, { graceful: true }));
  const clusterTalosconfig = await readOwnTalosconfig(folder);
  const place = state?.talosconfig;
  if (place !== undefined && clusterTalosconfig !== undefined) {
    await progress.step('talosconfig', async () => {
      try {
        await removeClusterContext(place, clusterTalosconfig);
      } catch (error) {
        // A broken talosconfig is the user's to mend; the cluster goes all the same.
        progress.note(`context "${place.context}" stays: ${faultFrom(error).message}`);
      }
    });
  }
  await progress.step('state folder', () => removeClusterFolder(folder));
}

async function stateToDestroy(
  ref: ClusterRef,
  folder: ClusterFolder,
  force: boolean,
): Promise<ClusterState | undefined> {
  try {
    const found = await findCluster(folder);
    if (found.kind === 'cluster') return found.state;
    if (found.kind === 'empty') return undefined;
    if (found.kind === 'nothing') throw noSuchCluster(ref);
    throw new Fault('data-loss', `${folder.path} has no state.yaml`);
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') throw fault;
    if (force) return undefined;
    throw new Fault(fault.kind, `${fault.message}; --force removes the cluster all the same`, {
      cause: error,
    });
  }
}

/** Lets the supervisor stop first if `graceful`, then ends whatever is left. Throws when something cannot be ended. */
export async function stopProcesses(
  folder: ClusterFolder,
  { graceful }: { readonly graceful: boolean },
): Promise<void> {
  const supervisorPid = readLivePid(folder, folder.supervisorPid);
  if (supervisorPid !== undefined && graceful) {
    sendSignal(supervisorPid, 'SIGTERM');
    const deadline = performance.now() + gracefulStopTimeoutMs;
    while (readLivePid(folder, folder.supervisorPid) !== undefined && performance.now() < deadline)
      await sleep(20);
  }
  const left = await killClusterProcesses(folder, killTimeoutMs);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  throw new Fault('internal', `processes that cannot be ended: pid ${pids}`);
}

/**
 * Removes a cluster's folder. `state.yaml` goes last: an interrupted removal leaves something that can be destroyed
 * again. A folder with anything in it that is not ours is left as it is.
 */
export async function removeClusterFolder(folder: ClusterFolder): Promise<void> {
  const entries = await readdir(folder.path);
  const foreign = entries.find((entry) => !isClusterEntry(entry));
  if (foreign !== undefined) {
    throw new Fault(
      'failed-precondition',
      `${join(folder.path, foreign)} is not part of a cluster: move it away first`,
    );
  }
  const rest = entries.map((entry) => join(folder.path, entry)).filter((path) => path !== folder.state);
  await Promise.all(rest.map((path) => rm(path, { recursive: true, force: true })));
  await rm(folder.state, { force: true });
  await rmdir(folder.path);
}

/** The talosconfig that was made with the cluster; undefined when the creation did not come that far. */
async function readOwnTalosconfig(folder: ClusterFolder): Promise<string | undefined> {
  return readFile(folder.talosconfig, 'utf8').catch(() => undefined);
}
