import { access, constants, readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { checkClusterName } from '../domain/cluster-shape.ts';
import { type ClusterState, decodeClusterState } from '../domain/cluster-state.ts';
import type { FoundCluster } from '../domain/plan-creation.ts';
import type { ClusterRef } from '../domain/provisioner.ts';
import { type ClusterFolder, clusterFolder, isStateDraft } from './cluster-folder.ts';
import { readLivePid } from './cluster-processes.ts';
import { privateFolderMode } from './write-private-file.ts';

/**
 * Returns the cluster's folder, which need not exist. Its path has no symbolic links, because it identifies
 * the cluster in locks and in the environment of its processes.
 */
export async function locateCluster(
  { name, clustersFolder }: ClusterRef,
  options: { readonly make: boolean },
): Promise<ClusterFolder> {
  checkClusterName(name);
  if (options.make) await makeClustersFolder(clustersFolder);
  const parent = await realpath(clustersFolder).catch(() => clustersFolder);
  const path = join(parent, name);
  return clusterFolder(await realpath(path).catch(() => path));
}

/** @throws Fault that names the folder, whichever of the folders above it was the problem */
async function makeClustersFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, privateFolderMode);
    await access(path, constants.W_OK);
  } catch (error) {
    const { kind } = faultFrom(error);
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it cannot be made there' : code;
    throw new Fault(kind, `the state folder ${path} cannot be written: ${reason}`, { cause: error });
  }
}

/** Reads what the folder contains. Throws a Fault `data-loss` when the state is damaged. */
export async function findCluster(folder: ClusterFolder): Promise<FoundCluster> {
  const text = await readFile(folder.state, 'utf8').catch((error: unknown) => {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return undefined;
    throw new Fault(fault.kind, `${folder.state} cannot be read: ${fault.message}`, { cause: error });
  });
  if (text === undefined) {
    const entries = await readdir(folder.path).catch(() => undefined);
    if (entries === undefined) return { kind: 'nothing' };
    return entries.every(isStateDraft) ? { kind: 'empty' } : { kind: 'foreign', folder: folder.path };
  }
  const state = decodeClusterState(text, folder.state);
  return { kind: 'cluster', state, supervisorPid: readLivePid(folder, folder.supervisorPid) };
}

/** Reads the state of a cluster that must exist. */
export async function readCluster(
  ref: ClusterRef,
  folder: ClusterFolder,
): Promise<{ readonly state: ClusterState; readonly supervisorPid: number | undefined }> {
  const found = await findCluster(folder);
  if (found.kind === 'cluster') return found;
  throw noSuchCluster(ref);
}

export function noSuchCluster({ name, clustersFolder }: ClusterRef): Fault {
  return new Fault(
    'not-found',
    `no cluster "${name}" in ${clustersFolder}: "talosctl cluster list" lists those that exist`,
  );
}

/**
 * Returns the address ranges of the other clusters in the same folder. A stopped cluster needs its range
 * again when it is started.
 */
export async function reservedCidrs(ref: ClusterRef): Promise<Set<string>> {
  const names = await readdir(ref.clustersFolder).catch(() => []);
  const cidrs = await Promise.all(
    names
      .filter((name) => name !== ref.name)
      .map(async (name) => {
        const found = await findCluster(clusterFolder(join(ref.clustersFolder, name))).catch(() => undefined);
        return found?.kind === 'cluster' ? found.state.network?.cidr : undefined;
      }),
  );
  return new Set(cidrs.filter((cidr) => cidr !== undefined));
}
