import { buildInfo } from '@nodewright/contract';
import type { Creation } from '../cluster/creation.ts';
import { claimFolder, completeCluster, draftState, writeClusterFiles } from '../cluster/new-cluster-files.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { engineVariables } from '../engine/index.ts';
import { awaitNodes } from './await-nodes.ts';
import type { DockerParts } from './docker-parts.ts';
import { formStackEtcd } from './form-stack-etcd.ts';
import { handOutMaterial } from './hand-out-material.ts';
import { otherBuildNote } from './other-build-note.ts';
import { placeStack, reachesNodes, stackEndpoints } from './place-stack.ts';
import { removeHeldImages } from './remove-held-images.ts';
import { composeWords, engineOf } from './stack-engine.ts';
import { removeObjects } from './stack-objects.ts';
import { startKeeper } from './start-keeper.ts';

/**
 * Makes a cluster where nothing is. Until its state says `created`, a failure removes everything again; after a kill the
 * keeper notices that its starter is gone and ends, and the folder says `creating`.
 */
export async function createAnew(creation: Creation<DockerParts>, patchDigest: string): Promise<void> {
  const { request, folder, parts, progress, signal } = creation;
  await using undo = new AsyncDisposableStack();
  const draft: ClusterState = {
    ...draftState(creation, 'docker', patchDigest),
    stack: {
      tag: parts.tag,
      jaegerPort: 0,
      otlpPort: 0,
      publishedPorts: {},
      engine: engineVariables(parts.environment),
    },
  };
  const engine = engineOf(folder, draft, parts);
  await claimFolder(folder, draft, undo);
  let isPlaced = false;
  undo.defer(() => removeHeldImages(engine, request.name));
  undo.defer(() => removeObjects(engine, folder.path, { graceful: false, mayAppear: !isPlaced }));

  // Keys take long and need no containers; containers need no keys.
  const placing = progress.step('containers', () => placeStack(creation, engine, draft));
  const secrets = progress.step('secrets', parts.makeMaterial);
  undo.defer(async () => void (await Promise.allSettled([placing, secrets])));
  placing.then(
    () => {
      isPlaced = true;
    },
    () => {},
  );
  const [planned, material] = await Promise.all([placing, secrets]);
  signal.throwIfAborted();

  const isOnNetwork = await reachesNodes(planned.network?.gateway ?? '');
  const endpoints = stackEndpoints(planned, isOnNetwork);
  const talosconfig = await material.talosconfig(request.name, endpoints);
  await progress.step('machine configurations', async () => {
    await Promise.all([
      handOutMaterial(creation, engine, planned, material, talosconfig),
      writeClusterFiles(folder, planned, material, talosconfig),
    ]);
  });
  // The keeper learns what runs from the engine: it need not wait for it.
  const starting = progress.step('keeper', () => startKeeper(folder, parts, signal));
  undo.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
  const running = progress.step('daemons', () =>
    engine.run([...composeWords(folder, request.name), 'up', '--detach', '--no-build', '--no-recreate'], {
      signal,
    }),
  );
  // Compose is not to start what is being removed.
  undo.defer(async () => void (await Promise.allSettled([running])));
  const [keeper] = await Promise.all([starting, running]);

  const created = await completeCluster(creation, planned, talosconfig);
  await keeper.release();
  undo.move();
  const commits = await awaitNodes(creation, created, talosconfig);
  await formStackEtcd(creation, created, talosconfig, { isNew: true });
  const note = otherBuildNote(parts.tag, commits, buildInfo.sha);
  if (note !== undefined) progress.note(note);
}
