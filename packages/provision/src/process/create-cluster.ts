import { createHash } from 'node:crypto';
import { readExistingTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import { lockCluster } from '../cluster/cluster-lock.ts';
import { findCluster, locateCluster } from '../cluster/read-cluster.ts';
import { checkShape } from '../domain/cluster-shape.ts';
import { planCreation } from '../domain/plan-creation.ts';
import { parseSubnet } from '../domain/subnet.ts';
import type { ClusterRequest, ConfigPatches, CreateResult, Progress } from '../provisioner.ts';
import { createAnew } from './create-anew.ts';
import type { CreateParts, Creation } from './creation.ts';
import { removeClusterFolder, stopProcesses } from './destroy-cluster.ts';
import { viewCluster } from './show-cluster.ts';
import { keepRunning, startAgain } from './start-again.ts';

/** Makes the cluster, starts it again when it is complete but stopped, or keeps it. */
export async function createCluster(
  request: ClusterRequest,
  parts: CreateParts,
  progress: Progress,
  signal: AbortSignal,
): Promise<CreateResult> {
  const startedAt = performance.now();
  checkShape(request.shape);
  if (request.cidr !== undefined) parseSubnet(request.cidr);
  await parts.checkPatches(request.patches);
  // One that cannot be read could not be added to: better now than when the nodes run.
  await readExistingTalosconfig(request.talosconfig);
  const folder = await locateCluster(request, { make: true });
  await using _lock = await lockCluster(folder.path, request.name);

  const creation: Creation = { request, folder, parts, progress, signal };
  const outcome = await carryOut(creation, digestPatches(request.patches));

  const found = await findCluster(folder);
  if (found.kind !== 'cluster') throw new Fault('aborted', `${folder.path} was removed in the meantime`);
  return {
    cluster: await viewCluster(folder, found.state, found.supervisorPid),
    outcome,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

async function carryOut(creation: Creation, patchDigest: string): Promise<CreateResult['outcome']> {
  const { request, folder, progress } = creation;
  const plan = planCreation(await findCluster(folder), { ...request, patchDigest });
  switch (plan.kind) {
    case 'create':
      await createAnew(creation, patchDigest);
      return 'created';
    case 'clean-and-create':
      progress.note(`an earlier creation of cluster "${request.name}" was interrupted: starting over`);
      await stopProcesses(folder, { graceful: false });
      await removeClusterFolder(folder);
      await createAnew(creation, patchDigest);
      return 'created';
    case 'start':
      progress.note(`cluster "${request.name}" exists and is stopped: starting it again`);
      await startAgain(creation, plan.state);
      return 'started';
    case 'keep':
      await keepRunning(creation, plan.state);
      return 'kept';
  }
}

function digestPatches({ all, controlPlanes, workers }: ConfigPatches): string {
  // Where a patch was read from does not matter.
  const texts = [all, controlPlanes, workers].map((patches) => patches.map(({ text }) => text));
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
