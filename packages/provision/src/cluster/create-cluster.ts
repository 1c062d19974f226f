import { createHash } from 'node:crypto';
import { readExistingTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import { planCreation } from '../domain/plan-creation.ts';
import type { ClusterRequest, ConfigPatches, CreateResult, Progress } from '../provisioner.ts';
import { lockCluster } from './cluster-lock.ts';
import type { ClusterMaker, CreateParts, Creation, CreationMilestones } from './creation.ts';
import { removeOwnContext } from './destroy-cluster.ts';
import { findCluster, locateCluster } from './read-cluster.ts';

/** Makes the cluster, starts it again when it is complete but stopped, or keeps it. */
export async function createCluster<Parts extends CreateParts>(
  maker: ClusterMaker<Parts>,
  request: ClusterRequest,
  parts: Parts,
  progress: Progress,
  signal: AbortSignal,
): Promise<CreateResult> {
  const startedAt = performance.now();
  await maker.checkRequest(request, parts);
  await parts.checkPatches(request.patches);
  // One that cannot be read could not be added to: better now than when the nodes run.
  await readExistingTalosconfig(request.talosconfig);
  const folder = await locateCluster(request, { make: true });
  await using _lock = await lockCluster(folder.path, request.name);

  const milestones: CreationMilestones = {};
  const creation: Creation<Parts> = { request, folder, parts, progress, signal, milestones };
  const outcome = await carryOut(maker, creation, digestPatches(request.patches));

  const found = await findCluster(folder);
  if (found.kind !== 'cluster') throw new Fault('aborted', `${folder.path} was removed in the meantime`);
  const { votes } = milestones;
  const seconds = (at: number) => (at - startedAt) / 1000;
  return {
    cluster: await maker.view(folder, found.state, found.supervisorPid, parts),
    outcome,
    answering: milestones.answering ?? 0,
    seconds: seconds(milestones.answeredAt ?? performance.now()),
    ...(votes === undefined ? {} : { votes: { count: votes.count, seconds: seconds(votes.at) } }),
  };
}

async function carryOut<Parts extends CreateParts>(
  maker: ClusterMaker<Parts>,
  creation: Creation<Parts>,
  patchDigest: string,
): Promise<CreateResult['outcome']> {
  const { request, folder, progress } = creation;
  const wish = { ...request, provisioner: maker.provisioner, patchDigest };
  const plan = planCreation(await findCluster(folder), wish);
  switch (plan.kind) {
    case 'create':
      await createOrTakeBack(maker, creation, patchDigest);
      return 'created';
    case 'clean-and-create':
      progress.note(`an earlier creation of cluster "${request.name}" was interrupted: starting over`);
      await maker.clean(creation);
      await createOrTakeBack(maker, creation, patchDigest);
      return 'created';
    case 'start':
      progress.note(`cluster "${request.name}" exists and is stopped: starting it again`);
      await maker.startAgain(creation, plan.state);
      return 'started';
    case 'keep':
      progress.note(`cluster "${request.name}" already runs`);
      await maker.keepRunning(creation, plan.state);
      return 'kept';
  }
}

/** An interruption leaves nothing, also one that comes while the nodes of a cluster that is made are waited for. */
async function createOrTakeBack<Parts extends CreateParts>(
  maker: ClusterMaker<Parts>,
  creation: Creation<Parts>,
  patchDigest: string,
): Promise<void> {
  try {
    await maker.createAnew(creation, patchDigest);
  } catch (error) {
    const { signal, folder, progress } = creation;
    // What failed otherwise stays where it came to stand, for its logs to be read.
    const found = signal.aborted ? await findCluster(folder) : undefined;
    if (found?.kind === 'cluster') {
      await removeOwnContext(folder, found.state, progress);
      await maker.clean(creation);
    }
    throw error;
  }
}

function digestPatches({ all, controlPlanes, workers }: ConfigPatches): string {
  // Where a patch was read from does not matter.
  const texts = [all, controlPlanes, workers].map((patches) => patches.map(({ text }) => text));
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
