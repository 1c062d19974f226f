import type { Creation } from '../cluster/creation.ts';
import { findCluster } from '../cluster/read-cluster.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { readTalosconfig, restoreContext } from '../cluster/restore-context.ts';
import { tellMissingVotes } from '../cluster/tell-missing-votes.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { parseSubnet } from '../domain/subnet.ts';
import { startWishSignal } from '../domain/supervisor-message.ts';
import { askSupervisor } from './ask-supervisor.ts';
import { awaitNodes } from './await-nodes.ts';
import { formProcessEtcd } from './form-process-etcd.ts';
import type { ProcessParts } from './process-parts.ts';
import { startSupervisor } from './start-supervisor.ts';

/** Starts a complete cluster that is stopped, on the addresses it has always had. */
export async function startAgain(creation: Creation<ProcessParts>, state: ClusterState): Promise<void> {
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
  await awaitNodes(creation, state, talosconfig);
  await formProcessEtcd(creation, state, talosconfig);
}

/** Leaves what runs alone, starts the nodes that are off, and makes sure that the cluster answers and can be reached. */
export async function keepRunning(creation: Creation<ProcessParts>, state: ClusterState): Promise<void> {
  const talosconfig = await readTalosconfig(creation);
  await startNodesThatAreOff(creation, state);
  await restoreContext(creation, state, talosconfig);
  await awaitNodes(creation, state, talosconfig);
  await tellMissingVotes(creation, (patienceMs) => formProcessEtcd(creation, state, talosconfig, patienceMs));
}

async function startNodesThatAreOff({ folder, progress }: Creation, state: ClusterState): Promise<void> {
  const supervisor = await askSupervisor(folder, state);
  const off = (supervisor?.nodes ?? []).filter((node) => node.state === 'off').map(({ name }) => name);
  // Only the pid we know is believed: someone else may sit on the port.
  const found = await findCluster(folder);
  if (supervisor === undefined || off.length === 0) return;
  if (found.kind !== 'cluster' || found.supervisorPid !== supervisor.pid) return;
  progress.note(`starting what was shut down: ${off.join(', ')}`);
  process.kill(supervisor.pid, startWishSignal);
}
