import { makeFolder } from '@nodewright/files';
import { type ClusterState, encodeClusterState } from '../domain/cluster-state.ts';
import { builtKubernetesVersion } from '../domain/kubernetes-programs.ts';
import { addClusterContext } from './cluster-context.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterFiles } from './cluster-material.ts';
import type { Creation } from './creation.ts';
import { removeClusterFolder } from './remove-cluster.ts';
import { privateFolderMode, writePrivateFile } from './write-private-file.ts';

/** Returns the state of a cluster of which nothing exists yet. */
export function draftState(
  { request }: Creation,
  provisioner: ClusterState['provisioner'],
  patchDigest: string,
): ClusterState {
  return {
    provisioner,
    name: request.name,
    phase: 'creating',
    shape: request.shape,
    patchDigest,
    nodes: [],
    ...(request.kubernetes && { kubernetes: { version: builtKubernetesVersion } }),
    talosconfig: { path: request.talosconfig, context: '' },
  };
}

/** Creates the cluster's folder with the state in it. The cleanup on `undo` removes the folder. */
export async function claimFolder(
  folder: ClusterFolder,
  state: ClusterState,
  undo: AsyncDisposableStack,
): Promise<void> {
  await makeFolder(folder.path, privateFolderMode);
  undo.defer(() => removeClusterFolder(folder));
  await writePrivateFile(folder.state, encodeClusterState(state));
}

/** Writes state, secrets, talosconfig and the configurations of the nodes before these start. */
export async function writeClusterFiles(
  folder: ClusterFolder,
  planned: ClusterState,
  { secrets, talosconfig, configurations }: ClusterFiles,
): Promise<void> {
  await Promise.all([
    writePrivateFile(folder.state, encodeClusterState(planned)),
    writePrivateFile(folder.secrets, secrets),
    writePrivateFile(folder.talosconfig, talosconfig),
    ...[...configurations].map(([node, text]) => writePrivateFile(folder.nodeConfig(node), text)),
  ]);
}

/** Adds the cluster to the user's talosconfig, and stores in the state that the cluster is complete. */
export async function completeCluster(
  { request, folder, progress }: Creation,
  planned: ClusterState,
  talosconfig: string,
): Promise<ClusterState> {
  const place = await progress.step('talosconfig', () => addClusterContext(request.talosconfig, talosconfig));
  if (place.context !== request.name) {
    progress.note(`renamed talosconfig context "${request.name}" -> "${place.context}"`);
  }
  const created: ClusterState = { ...planned, phase: 'created', talosconfig: place };
  await writePrivateFile(folder.state, encodeClusterState(created));
  return created;
}
