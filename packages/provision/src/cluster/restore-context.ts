import { readFile } from 'node:fs/promises';
import { certificateEnd, emptyContext, parseTalosconfig } from '@nodewright/client/talosconfig';
import { Fault, faultFrom } from '@nodewright/fault';
import { type ClusterState, encodeClusterState } from '../domain/cluster-state.ts';
import { addClusterContext, findClusterContexts, renewClusterContexts } from './cluster-context.ts';
import type { Creation } from './creation.ts';
import { writePrivateFile } from './write-private-file.ts';

/**
 * Adds the cluster's context to the user's talosconfig again if it is missing there. A cluster runs without it: a context
 * that cannot be written is noted.
 */
export async function restoreContext(
  creation: Creation,
  state: ClusterState,
  talosconfig: string,
): Promise<void> {
  const { request, folder, parts, progress } = creation;
  const known = state.talosconfig;
  if (known?.path === request.talosconfig && (await findClusterContexts(known, talosconfig)).length > 0) {
    await orNote(creation, renewClusterContexts(known, talosconfig, parts.now()));
    return;
  }
  const adding = progress.step('talosconfig', () => addClusterContext(request.talosconfig, talosconfig));
  const place = await orNote(creation, adding);
  if (place === undefined) return;
  await writePrivateFile(folder.state, encodeClusterState({ ...state, talosconfig: place }));
}

async function orNote<T>({ progress, request }: Creation, writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    progress.note(
      `the context of the cluster in ${request.talosconfig} cannot be written: ${faultFrom(error).message}`,
    );
    return undefined;
  }
}

/**
 * The administrator's talosconfig in the folder of the cluster. When its certificate ends soon, or has ended, it is issued
 * again from the secrets there; otherwise a cluster could not be started after a year.
 */
export async function currentTalosconfig(creation: Creation): Promise<string> {
  const { folder, parts, progress } = creation;
  const talosconfig = await readTalosconfig(creation);
  const { context, contexts } = parseTalosconfig(talosconfig);
  const end = certificateEnd(contexts.get(context) ?? emptyContext, parts.now());
  if (end?.isDue !== true) return talosconfig;
  try {
    return await progress.step("administrator's certificate", async () => {
      const secrets = await readFile(folder.secrets, 'utf8');
      const { renewTalosconfig } = await import('./renew-talosconfig.ts');
      const renewed = await renewTalosconfig(talosconfig, secrets, parts.now());
      await writePrivateFile(folder.talosconfig, renewed);
      return renewed;
    });
  } catch (error) {
    const day = end.endsAt.toISOString().slice(0, 10);
    progress.note(
      `the administrator's certificate ends on ${day}, and cannot be issued again: ${faultFrom(error).message}`,
    );
    return talosconfig;
  }
}

/**
 * Reads the administrator's talosconfig that was created with the cluster. Throws a Fault `data-loss` if it
 * cannot be read.
 */
async function readTalosconfig({ folder, request }: Creation): Promise<string> {
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
