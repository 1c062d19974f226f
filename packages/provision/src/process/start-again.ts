import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { addClusterContext, findClusterContexts } from '../cluster/cluster-context.ts';
import { writePrivateFile } from '../cluster/write-file.ts';
import { type ClusterState, encodeClusterState } from '../domain/cluster-state.ts';
import { parseSubnet } from '../domain/subnet.ts';
import { awaitAnswers, type Creation } from './creation.ts';
import { stopProcesses } from './destroy-cluster.ts';
import { startSupervisor } from './start-supervisor.ts';

/** Starts a complete cluster that is stopped, on the addresses it has always had. */
export async function startAgain(creation: Creation, state: ClusterState): Promise<void> {
  const { folder, parts, progress, signal } = creation;
  const talosconfig = await readTalosconfig(creation);
  // Nodes may have outlived a supervisor that was killed.
  await stopProcesses(folder, { graceful: false });
  await using undo = new AsyncDisposableStack();
  const supervisor = await progress.step('supervisor', async () =>
    undo.use(
      await startSupervisor({
        folder,
        candidates: [parseSubnet(state.network?.cidr ?? '')],
        programs: parts.programs,
        environment: parts.environment,
        signal,
      }),
    ),
  );
  await supervisor.startNodes(state.nodes.map(({ name }) => name));
  await restoreContext(creation, state, talosconfig);
  await supervisor.release();
  await awaitAnswers(creation, state, talosconfig);
}

/** Leaves a running cluster alone and makes sure that it answers and can be reached. */
export async function keepRunning(creation: Creation, state: ClusterState): Promise<void> {
  creation.progress.note(`cluster "${state.name}" already runs`);
  const talosconfig = await readTalosconfig(creation);
  await restoreContext(creation, state, talosconfig);
  await awaitAnswers(creation, state, talosconfig);
}

/** Adds the cluster's context again where the user's talosconfig has lost it. */
async function restoreContext(creation: Creation, state: ClusterState, talosconfig: string): Promise<void> {
  const { request, folder, progress } = creation;
  const known = state.talosconfig;
  if (known?.path === request.talosconfig && (await findClusterContexts(known, talosconfig)).length > 0)
    return;
  const place = await progress.step('talosconfig', () => addClusterContext(request.talosconfig, talosconfig));
  await writePrivateFile(folder.state, encodeClusterState({ ...state, talosconfig: place }));
}

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
