import { Fault } from '@nodewright/fault';
import { createClusterProvisioner } from '../cluster/cluster-provisioner.ts';
import { findCluster, locateCluster } from '../cluster/read-cluster.ts';
import { checkNodeSubnet } from '../domain/check-node-subnet.ts';
import { checkShape } from '../domain/cluster-shape.ts';
import type { ClusterRequest, Provisioner } from '../domain/provisioner.ts';
import { etcdImage, jaegerImage, mostStackNodes, stackImages } from '../domain/stack-document.ts';
import { parseStackSubnet } from '../domain/stack-subnet.ts';
import { requireEngine, requireImages } from '../engine/index.ts';
import type { DockerParts } from './docker-parts.ts';
import { requireRoom } from './require-room.ts';
import { engineOf, type StackEngineInit } from './stack-engine.ts';
import { openStackHost } from './stack-host.ts';
import { openStackLauncher } from './stack-launcher.ts';
import { otherOwner } from './stack-objects.ts';

/**
 * Creates the provisioner of clusters whose daemons are containers of a Docker engine. Each cluster is one
 * compose project. `parts` is called only by actions that start nodes; the others need only the engine.
 */
export function createDockerProvisioner(parts: () => DockerParts, init: StackEngineInit): Provisioner {
  return createClusterProvisioner<DockerParts>(
    {
      provisioner: 'docker',
      checkRequest,
      openHost: (folder, state) => openStackHost(folder, state, init),
      openLauncher: openStackLauncher,
    },
    parts,
  );
}

const patchTexts = ({ patches: { all, controlPlanes, workers } }: ClusterRequest) =>
  [...all, ...controlPlanes, ...workers].map(({ text }) => text);

/** Checks everything that can be known before anything is created, so that later failures are rare. */
async function checkRequest(request: ClusterRequest, parts: DockerParts): Promise<void> {
  const { name, shape, cidr, kubernetes = false } = request;
  checkShape(shape, { kind: 'docker', most: mostStackNodes });
  if (cidr !== undefined) parseStackSubnet(cidr);
  if (cidr !== undefined && kubernetes) checkNodeSubnet(cidr, patchTexts(request));
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
    throw new Fault(
      'invalid-argument',
      `a cluster of containers needs a name of lower-case letters, digits, dashes and underscores, not "${name}"`,
    );
  }
  const folder = await locateCluster(request, { make: false });
  const found = await findCluster(folder);
  const engine = engineOf(folder, found.kind === 'cluster' ? found.state : undefined, parts);
  await requireEngine(engine);
  const { toolbox, ...daemons } = stackImages(parts.tag);
  const ofNodes = request.nodeImage === undefined ? [...Object.values(daemons), etcdImage] : [];
  await requireImages(engine, [...ofNodes, toolbox, jaegerImage], 'make images');
  if (request.nodeImage !== undefined)
    await requireImages(engine, [withTag(request.nodeImage)], 'make node-image');
  if (kubernetes && request.nodeImage === undefined)
    throw new Fault(
      'invalid-argument',
      'Kubernetes runs only in nodes that are one container each: name their image with --node-image',
    );
  // A cluster that exists has its part of both already.
  if (kubernetes && found.kind !== 'cluster') await requireRoom(shape, engine.ask);
  const other = await otherOwner(engine, name, folder.path);
  if (other !== undefined) {
    throw new Fault(
      'already-exists',
      `the engine has a cluster "${name}" already, ${other}: use another --name, or remove the existing one first`,
    );
  }
}

/** An image without a tag has the tag `latest`, and the engine lists it with that. */
const withTag = (image: string) => (/[:@][^/]*$/.test(image) ? image : `${image}:latest`);
