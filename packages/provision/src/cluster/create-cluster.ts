import { createHash } from 'node:crypto';
import { readExistingTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import { lifecycles } from '../domain/lifecycle.ts';
import { planCreation } from '../domain/plan-creation.ts';
import type { ClusterRequest, ConfigPatches, CreateResult, Progress } from '../domain/provisioner.ts';
import type { ClusterKind } from './cluster-kind.ts';
import { lockCluster } from './cluster-lock.ts';
import type { CreateParts, Creation, CreationMilestones } from './creation.ts';
import { removeOwnContext } from './destroy-cluster.ts';
import { findCluster, locateCluster } from './read-cluster.ts';
import { removeClusterFolder } from './remove-cluster.ts';
import { runLifecycle } from './run-lifecycle.ts';
import { viewCluster } from './show-cluster.ts';

/** Creates the cluster. Starts it if it exists and is stopped, and keeps it if it already runs. */
export async function createCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  request: ClusterRequest,
  parts: Parts,
  progress: Progress,
  signal: AbortSignal,
): Promise<CreateResult> {
  const startedAt = performance.now();
  await kind.checkRequest(request, parts);
  await parts.checkPatches(request.patches);
  // Fail before anything is created if the talosconfig is unreadable, because a context is added to it later.
  await readExistingTalosconfig(request.talosconfig);
  const folder = await locateCluster(request, { make: true });
  await using _lock = await lockCluster(request);

  const milestones: CreationMilestones = {};
  const creation: Creation<Parts> = { request, folder, parts, progress, signal, milestones };
  const outcome = await carryOut(kind, creation, digestPatches(request.patches));

  const found = await findCluster(folder);
  if (found.kind !== 'cluster') throw new Fault('aborted', `${folder.path} was removed in the meantime`);
  const { votes, kubernetes, workloads } = milestones;
  const { version } = found.state.kubernetes ?? {};
  const seconds = (at: number) => (at - startedAt) / 1000;
  return {
    cluster: await viewCluster(kind.openHost(folder, found.state), folder, found.state, found.supervisorPid),
    outcome,
    answering: milestones.answering ?? 0,
    seconds: seconds(milestones.answeredAt ?? performance.now()),
    ...(votes === undefined ? {} : { votes: { count: votes.count, seconds: seconds(votes.at) } }),
    ...(version !== undefined &&
      kubernetes && {
        kubernetes: {
          ...{ version, kubeconfig: folder.kubeconfig, kubectl: parts.kubectl },
          servers: kubernetes.servers,
          seconds: seconds(kubernetes.at),
          ...(workloads && { workloads: { nodes: workloads.nodes, seconds: seconds(workloads.at) } }),
        },
      }),
  };
}

async function carryOut<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  creation: Creation<Parts>,
  patchDigest: string,
): Promise<CreateResult['outcome']> {
  const { request, folder, progress } = creation;
  const wish = { ...request, provisioner: kind.provisioner, patchDigest };
  const plan = planCreation(await findCluster(folder), wish);
  switch (plan.kind) {
    case 'create':
      await createOrRollBack(kind, creation, patchDigest);
      return 'created';
    case 'clean-and-create':
      progress.note(`an earlier creation of cluster "${request.name}" was interrupted: starting over`);
      await clean(kind, creation);
      await createOrRollBack(kind, creation, patchDigest);
      return 'created';
    case 'start':
      progress.note(`cluster "${request.name}" exists and is stopped: starting it again`);
      await runLifecycle(kind, lifecycles.startAgain, creation, { kind: 'existing', state: plan.state });
      return 'started';
    case 'keep':
      progress.note(`cluster "${request.name}" already runs`);
      await runLifecycle(kind, lifecycles.keepRunning, creation, { kind: 'existing', state: plan.state });
      return 'kept';
  }
}

/**
 * Creates the cluster. An abort removes everything again, even while the nodes of the complete cluster start.
 */
async function createOrRollBack<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  creation: Creation<Parts>,
  patchDigest: string,
): Promise<void> {
  try {
    await runLifecycle(kind, lifecycles.create, creation, { kind: 'new', patchDigest });
  } catch (error) {
    const { signal, folder, progress } = creation;
    // After any other failure the cluster stays as it is, so that its logs can be read.
    const found = signal.aborted ? await findCluster(folder) : undefined;
    if (found?.kind === 'cluster') {
      await removeOwnContext(folder, found.state, progress);
      await clean(kind, creation);
    }
    throw error;
  }
}

/** Removes what an interrupted creation left behind. */
async function clean<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  { folder, request }: Creation<Parts>,
): Promise<void> {
  const found = await findCluster(folder);
  const state = found.kind === 'cluster' ? found.state : undefined;
  await kind.openHost(folder, state).remove(request.name, { graceful: false, progress: silent });
  await removeClusterFolder(folder);
}

const silent: Progress = { step: (_name, body) => body(() => {}), note: () => {} };

function digestPatches({ all, controlPlanes, workers }: ConfigPatches): string {
  // The source of a patch is not part of the digest.
  const texts = [all, controlPlanes, workers].map((patches) => patches.map(({ text }) => text));
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
