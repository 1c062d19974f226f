import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { nodePaths } from '@nodewright/contract';
import { pack } from 'tar-stream';
import type { ClusterMaterial } from '../cluster/cluster-material.ts';
import type { Creation } from '../cluster/creation.ts';
import { membersFile } from '../cluster/members-file.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { stackTimeServer } from '../domain/stack-document.ts';
import { parseStackSubnet } from '../domain/stack-subnet.ts';
import { subnetPrefix } from '../domain/subnet.ts';
import type { Engine } from '../engine/index.ts';
import type { PatchText } from '../provisioner.ts';
import { listContainers } from './stack-objects.ts';

/** machined's user in the images: only this user may read the files in the volumes. */
const machinedUser = 52;

/**
 * Copies configurations and secrets into the volumes of the nodes' containers before these start. Copies
 * secrets and talosconfig into the volume of `init`, so that `init` generates nothing. Whole nodes need no `init`.
 */
export async function handOutMaterial(
  { request, folder, signal }: Creation,
  engine: Engine,
  state: ClusterState,
  material: ClusterMaterial,
  talosconfig: string,
): Promise<void> {
  const containers = await listContainers(engine, folder.path);
  const isWhole = state.stack?.nodeImage !== undefined;
  // In a node of one container machined is root.
  const user = isWhole ? 0 : machinedUser;
  const put = async (service: string, target: string, files: Readonly<Record<string, string>>) => {
    const id = containers.find((container) => container.service === service)?.id ?? service;
    await engine.run(['cp', '-', `${id}:${target}`], { input: await archiveOf(files, user), signal });
  };
  const members = membersFile(state.nodes);
  const timeServer = stackTimeServer(subnetPrefix(parseStackSubnet(state.network?.cidr ?? '')));
  if (!isWhole) await put('init', '/cluster/admin', { 'secrets.yaml': material.secrets, talosconfig });
  await Promise.all(
    state.nodes.map((node) => {
      const config = material.nodeConfig({
        clusterName: request.name,
        node,
        endpoint: state.kubernetesEndpoint ?? '',
        timeServer,
        certSans: ['127.0.0.1'],
        kubernetesVersion: state.kubernetes?.version,
        patches:
          state.kubernetes === undefined
            ? request.patches
            : { ...request.patches, all: [kubeletPatch, ...request.patches.all] },
      });
      return put(node.name, '/system/state', {
        [basename(nodePaths.machineConfig)]: config,
        [basename(nodePaths.membership)]: members,
      });
    }),
  );
}

/** What nodes with a kubelet need besides: the images of Kubernetes come from the cache in the image of the node. */
const kubeletPatch: PatchText = {
  source: 'for Kubernetes in containers',
  text: 'machine: { features: { imageCache: { localEnabled: true } } }',
};

function archiveOf(files: Readonly<Record<string, string>>, user: number): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files))
    archive.entry({ name, mode: 0o600, uid: user, gid: user }, content);
  archive.finalize();
  return buffer(archive);
}
