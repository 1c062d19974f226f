import { Fault } from '@nodewright/fault';
import type { Creation } from '../cluster/creation.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import { readTalosconfig, restoreContext } from '../cluster/restore-context.ts';
import { tellMissingVotes } from '../cluster/tell-missing-votes.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { awaitNodes } from './await-nodes.ts';
import type { DockerParts } from './docker-parts.ts';
import { formStackEtcd } from './form-stack-etcd.ts';
import { composeWords, engineOf } from './stack-engine.ts';
import { countObjects } from './stack-objects.ts';
import { startKeeper } from './start-keeper.ts';

/** Starts what does not run of a complete cluster, on the addresses it has always had, and its keeper. */
export async function startAgain(creation: Creation<DockerParts>, state: ClusterState): Promise<void> {
  const { request, folder, parts, progress, signal } = creation;
  const talosconfig = await readTalosconfig(creation);
  const engine = engineOf(folder, state, parts);
  const { volumes } = await countObjects(engine, folder.path);
  if (volumes === 0) {
    throw new Fault(
      'data-loss',
      `the engine has no volume of cluster "${request.name}" any more: destroy it and create it again (talosctl cluster destroy --name ${request.name})`,
    );
  }
  // What a killed keeper was about to do would come between.
  await stopProcesses(folder, { graceful: false });
  await progress.step('daemons', () =>
    engine.run([...composeWords(folder, request.name), 'up', '--detach', '--no-build', '--no-recreate'], {
      signal,
    }),
  );
  await using keeper = await progress.step('keeper', () => startKeeper(folder, parts, signal));
  await restoreContext(creation, state, talosconfig);
  await keeper.release();
  await awaitNodes(creation, state, talosconfig);
  await formStackEtcd(creation, state, talosconfig, { isNew: false });
}

/** Leaves a running cluster alone, but for containers that someone stopped, and makes sure that it can be reached. */
export async function keepRunning(creation: Creation<DockerParts>, state: ClusterState): Promise<void> {
  const { request, folder, parts, progress, signal } = creation;
  const talosconfig = await readTalosconfig(creation);
  const engine = engineOf(folder, state, parts);
  await progress.step('daemons', () =>
    engine.run([...composeWords(folder, request.name), 'up', '--detach', '--no-build', '--no-recreate'], {
      signal,
    }),
  );
  await restoreContext(creation, state, talosconfig);
  await awaitNodes(creation, state, talosconfig);
  await tellMissingVotes(creation, (patienceMs) =>
    formStackEtcd(creation, state, talosconfig, { isNew: false, patienceMs }),
  );
}
