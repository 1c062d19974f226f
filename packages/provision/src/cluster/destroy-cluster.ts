import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRef, DestroyPlan, Progress } from '../domain/provisioner.ts';
import { findClusterContexts, removeClusterContext } from './cluster-context.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterKind } from './cluster-kind.ts';
import { lockCluster } from './cluster-lock.ts';
import { findClusterProcesses, readLivePid } from './cluster-processes.ts';
import type { CreateParts } from './creation.ts';
import { findCluster, locateCluster, noSuchCluster } from './read-cluster.ts';
import { removeClusterFolder } from './remove-cluster.ts';

/** Lists what destroying the cluster would stop and remove, to be shown to the user first. */
export async function planDestroyCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
): Promise<DestroyPlan> {
  const folder = await locateCluster(ref, { make: false });
  // Show the plan even if the state cannot be read. `destroy` decides whether that is an error.
  const found = await findCluster(folder).catch(() => undefined);
  if (found?.kind === 'nothing') throw noSuchCluster(ref);
  const state = found?.kind === 'cluster' ? found.state : undefined;
  const place = state?.talosconfig;
  const clusterTalosconfig = await readOwnTalosconfig(folder);
  const [context] =
    place === undefined || clusterTalosconfig === undefined
      ? []
      : await findClusterContexts(place, clusterTalosconfig).catch(() => []);
  const host = kind.openHost(folder, state);
  await host.require();
  const objects = await host.countObjects();
  return {
    folder: folder.path,
    supervisorPid: readLivePid(folder, folder.supervisorPid),
    processes: findClusterProcesses(folder).length,
    nodes: state?.nodes.map(({ name }) => name) ?? [],
    talosconfig: place === undefined || context === undefined ? undefined : { path: place.path, context },
    ...(objects && { objects }),
  };
}

/** Stops and removes everything of the cluster: processes or containers, context and folder. */
export async function destroyCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
  options: { readonly force: boolean },
  progress: Progress,
): Promise<void> {
  const folder = await locateCluster(ref, { make: false });
  const before = await findCluster(folder).catch(() => undefined);
  // Without a folder of clusters there is no place for the lock either.
  if (before?.kind === 'nothing') throw noSuchCluster(ref);
  await using _lock = await lockCluster(ref);
  const state = await stateToDestroy(ref, folder, options.force);
  const host = kind.openHost(folder, state);
  await host.require();
  await host.remove(ref.name, { graceful: true, progress });
  await removeOwnContext(folder, state, progress);
  await progress.step('state folder', () => removeClusterFolder(folder));
}

/**
 * Removes the cluster's context from the user's talosconfig. If the file cannot be changed, the context
 * stays, with a note to the user.
 */
export async function removeOwnContext(
  folder: ClusterFolder,
  state: ClusterState | undefined,
  progress: Progress,
): Promise<void> {
  const clusterTalosconfig = await readOwnTalosconfig(folder);
  const place = state?.talosconfig;
  if (place === undefined || clusterTalosconfig === undefined) return;
  await progress.step('talosconfig', async () => {
    try {
      await removeClusterContext(place, clusterTalosconfig);
    } catch (error) {
      // Destroy the cluster even if the talosconfig is broken: the user has to repair that file.
      progress.note(`context "${place.context}" was not removed: ${faultFrom(error).message}`);
    }
  });
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
    throw new Fault(fault.kind, `${fault.message}; --force removes the cluster anyway`, {
      cause: error,
    });
  }
}

/**
 * Returns the talosconfig that was created with the cluster; `undefined` if the creation did not get that
 * far.
 */
async function readOwnTalosconfig(folder: ClusterFolder): Promise<string | undefined> {
  return readFile(folder.talosconfig, 'utf8').catch(() => undefined);
}
