import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { type ClusterState, encodeClusterState } from '../domain/cluster-state.ts';
import { addClusterContext, findClusterContexts } from './cluster-context.ts';
import type { Creation } from './creation.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Adds the cluster's context to the user's talosconfig again if it is missing there. */
export async function restoreContext(
  creation: Creation,
  state: ClusterState,
  talosconfig: string,
): Promise<void> {
  const { request, folder, progress } = creation;
  const known = state.talosconfig;
  if (known?.path === request.talosconfig && (await findClusterContexts(known, talosconfig)).length > 0)
    return;
  const place = await progress.step('talosconfig', () => addClusterContext(request.talosconfig, talosconfig));
  await writePrivateFile(folder.state, encodeClusterState({ ...state, talosconfig: place }));
}

/**
 * Reads the administrator's talosconfig that was created with the cluster. Throws a Fault `data-loss` if it
 * cannot be read.
 */
export async function readTalosconfig({ folder, request }: Creation): Promise<string> {
  try {
    return await readFile(folder.talosconfig, 'utf8');
  } catch (error) {
    throw new Fault(
      'data-loss',
      `${folder.talosconfig} cannot be read: ${faultFrom(error).message}; destroy the cluster and create it again (talosctl cluster destroy --name ${request.name})`,
      { cause: error },
    );
  }
}
