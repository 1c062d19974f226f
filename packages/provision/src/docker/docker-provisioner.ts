import { Fault } from '@nodewright/fault';
import { createCluster } from '../cluster/create-cluster.ts';
import type { ClusterMaker } from '../cluster/creation.ts';
import { destroyCluster, planDestroyCluster } from '../cluster/destroy-cluster.ts';
import { orFault } from '../cluster/or-fault.ts';
import { findCluster, locateCluster } from '../cluster/read-cluster.ts';
import { removeClusterFolder, stopProcesses } from '../cluster/remove-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { checkShape } from '../domain/cluster-shape.ts';
import { etcdImage, jaegerImage, mostStackNodes, stackImages } from '../domain/stack-document.ts';
import { parseStackSubnet } from '../domain/stack-subnet.ts';
import { requireEngine, requireImages } from '../engine/index.ts';
import type { ClusterRef, ClusterRequest, DestroyPlan, Provisioner } from '../provisioner.ts';
import { createAnew } from './create-anew.ts';
import type { DockerParts } from './docker-parts.ts';
import { removeHeldImages } from './remove-held-images.ts';
import { showStack, viewStack } from './show-stack.ts';
import { engineOf, type StackEngineInit } from './stack-engine.ts';
import { stackLogs } from './stack-logs.ts';
import { countObjects, otherOwner, removeObjects } from './stack-objects.ts';
import { keepRunning, startAgain } from './start-again.ts';
import { startStackNode, stopStack } from './stop-and-start.ts';

/**
 * Clusters whose daemons are containers of a Docker engine, one compose project each. `parts` is called when a cluster
 * is to be created; the other verbs need the engine only.
 */
export function createDockerProvisioner(parts: () => DockerParts, init: StackEngineInit): Provisioner {
  return {
    create: (request, progress, signal) =>
      orFault(async () => createCluster(dockerMaker, request, parts(), progress, signal)),
    show: (ref) => orFault(() => showStack(ref, init)),
    start: (change, progress, signal) =>
      orFault(async () => startCluster(dockerMaker, startStackNode, change, parts(), progress, signal)),
    stop: (change, progress) => orFault(() => stopStack(change, progress, init)),
    planDestroy: (ref) => orFault(() => planDestroy(ref, init)),
    destroy: (ref, options, progress) =>
      orFault(() =>
        destroyCluster(ref, options, progress, async (folder, state) => {
          const engine = engineOf(folder, state, init);
          await requireEngine(engine);
          await progress.step('keeper', () => stopProcesses(folder, { graceful: true }));
          const removal = { graceful: true, mayAppear: state?.phase !== 'created' };
          await progress.step('containers', async () => {
            await removeObjects(engine, folder.path, removal);
            await removeHeldImages(engine, ref.name);
          });
        }),
      ),
    logs: (ref, request) => stackLogs(ref, request, init),
  };
}

const dockerMaker: ClusterMaker<DockerParts> = {
  provisioner: 'docker',
  checkRequest,
  createAnew,
  async clean({ folder, parts, request }) {
    const found = await findCluster(folder);
    const state = found.kind === 'cluster' ? found.state : undefined;
    const engine = engineOf(folder, state, parts);
    await stopProcesses(folder, { graceful: false });
    // What ran may have been the compose of a creation that was killed.
    await removeObjects(engine, folder.path, { graceful: false, mayAppear: state?.phase !== 'created' });
    await removeHeldImages(engine, request.name);
    await removeClusterFolder(folder);
  },
  startAgain,
  keepRunning,
  view: viewStack,
};

/** Everything that can be known before anything is made: so that what fails later is the exception. */
async function checkRequest(request: ClusterRequest, parts: DockerParts): Promise<void> {
  const { name, shape, cidr } = request;
  checkShape(shape, { kind: 'docker', most: mostStackNodes });
  if (cidr !== undefined) parseStackSubnet(cidr);
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
    throw new Fault(
      'invalid-argument',
      `a cluster of containers has a name of small letters, digits, dashes and underscores, not "${name}"`,
    );
  }
  const folder = await locateCluster(request, { make: false });
  const found = await findCluster(folder);
  const engine = engineOf(folder, found.kind === 'cluster' ? found.state : undefined, parts);
  await requireEngine(engine);
  await requireImages(engine, [...Object.values(stackImages(parts.tag)), jaegerImage, etcdImage]);
  const other = await otherOwner(engine, name, folder.path);
  if (other !== undefined) {
    throw new Fault(
      'already-exists',
      `the engine has a cluster "${name}" already, ${other}: take another --name, or end that one first`,
    );
  }
}

async function planDestroy(ref: ClusterRef, init: StackEngineInit): Promise<DestroyPlan> {
  const plan = await planDestroyCluster(ref);
  const folder = await locateCluster(ref, { make: false });
  const found = await findCluster(folder).catch(() => undefined);
  const engine = engineOf(folder, found?.kind === 'cluster' ? found.state : undefined, init);
  await requireEngine(engine);
  return { ...plan, objects: await countObjects(engine, folder.path) };
}
