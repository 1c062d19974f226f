import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRef, DestroyPlan, Progress } from '../provisioner.ts';
import { findClusterContexts, removeClusterContext } from './cluster-context.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterKind } from './cluster-kind.ts';
import { lockCluster } from './cluster-lock.ts';
import { findClusterProcesses, readLivePid } from './cluster-processes.ts';
import type { CreateParts } from './creation.ts';
import { findCluster, locateCluster, noSuchCluster } from './read-cluster.ts';
import { removeClusterFolder } from './remove-cluster.ts';

/** What destroying the cluster would end and remove, for the user to read before it happens. */
export async function planDestroyCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
): Promise<DestroyPlan> {
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

/** Ends and removes everything of the cluster: what runs, context, folder. */
export async function destroyCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
  options: { readonly force: boolean },
  progress: Progress,
): Promise<void> {
  const folder = await locateCluster(ref, { make: false });
  await using _lock = await lockCluster(folder.path, ref.name);
  const state = await stateToDestroy(ref, folder, options.force);
  const host = kind.openHost(folder, state);
  await host.require();
  await host.remove(ref.name, { graceful: true, progress });
  await removeOwnContext(folder, state, progress);
  await progress.step('state folder', () => removeClusterFolder(folder));
}

/** Takes the cluster's context out of the user's talosconfig. One that cannot be written is told, and stays. */
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
      // A broken talosconfig is the user's to mend; the cluster goes all the same.
      progress.note(`context "${place.context}" stays: ${faultFrom(error).message}`);
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
    throw new Fault(fault.kind, `${fault.message}; --force removes the cluster all the same`, {
      cause: error,
    });
  }
}

/** The talosconfig that was made with the cluster; undefined when the creation did not come that far. */
async function readOwnTalosconfig(folder: ClusterFolder): Promise<string | undefined> {
  return readFile(folder.talosconfig, 'utf8').catch(() => undefined);
}
