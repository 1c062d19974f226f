import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { containerPaths, nodePaths } from '@nodewright/contract';
import { pack } from 'tar-stream';
import { buildCertificates } from '../cluster/build-certificates.ts';
import type { ClusterFiles, ClusterMaterial } from '../cluster/cluster-material.ts';
import type { Creation } from '../cluster/creation.ts';
import { membersFile } from '../cluster/members-file.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { reachableNameServers } from '../domain/name-servers.ts';
import type { PatchText } from '../domain/provisioner.ts';
import { stackTimeServer } from '../domain/stack-document.ts';
import { parseStackSubnet } from '../domain/stack-subnet.ts';
import { subnetPrefix } from '../domain/subnet.ts';
import type { Engine } from '../engine/index.ts';
import type { DockerParts } from './docker-parts.ts';
import { listContainers } from './stack-objects.ts';

/** machined's user in the images: only this user may read the files in the volumes. */
const machinedUser = 52;

/**
 * Copies configurations and secrets into the volumes of the nodes' containers before these start. Copies
 * secrets and talosconfig into the volume of `init`, so that `init` generates nothing. Whole nodes need no `init`.
 */
export async function handOutMaterial(
  { folder, signal, parts }: Creation<DockerParts>,
  engine: Engine,
  state: ClusterState,
  { secrets, talosconfig, configurations }: ClusterFiles,
): Promise<void> {
  const containers = await listContainers(engine, folder.path);
  const isWhole = state.stack?.nodeImage !== undefined;
  const certificates = isWhole ? buildCertificates(dirname(dirname(parts.keeper))) : undefined;
  // The keeper has its own copy: what a node has in its volume decides nothing.
  if (certificates !== undefined) await writePrivateFile(folder.trustedCertificates, certificates);
  // In a node of one container machined is root.
  const user = isWhole ? 0 : machinedUser;
  const put = async (service: string, target: string, files: Readonly<Record<string, string>>) => {
    const id = containers.find((container) => container.service === service)?.id ?? service;
    await engine.run(['cp', '-', `${id}:${target}`], { input: await archiveOf(files, user), signal });
  };
  const members = membersFile(state.nodes);
  if (!isWhole) await put('init', '/cluster/admin', { 'secrets.yaml': secrets, talosconfig });
  await Promise.all(
    state.nodes.map(({ name }) =>
      put(name, '/system/state', {
        [basename(nodePaths.machineConfig)]: configurations.get(name) ?? '',
        [basename(nodePaths.membership)]: members,
        ...(certificates !== undefined && {
          [basename(containerPaths.trustedCertificates)]: certificates,
        }),
      }),
    ),
  );
}

/** Generates the configurations of nodes that are containers. */
export async function configureContainers(
  { request }: Creation,
  state: ClusterState,
  material: ClusterMaterial,
): Promise<ReadonlyMap<string, string>> {
  const timeServer = stackTimeServer(subnetPrefix(parseStackSubnet(state.network?.cidr ?? '')));
  const patches =
    state.kubernetes === undefined
      ? request.patches
      : { ...request.patches, all: [...(await kubeletPatches()), ...request.patches.all] };
  return new Map(
    state.nodes.map((node) => {
      const config = material.nodeConfig({
        clusterName: request.name,
        node,
        endpoint: state.kubernetesEndpoint ?? '',
        timeServer,
        certSans: ['127.0.0.1'],
        kubernetesVersion: state.kubernetes?.version,
        patches,
      });
      return [node.name, config];
    }),
  );
}

/**
 * What nodes with a kubelet need besides: the images of Kubernetes come from the cache in the image of the node, pods look up names
 * where this machine does, because the server of the engine has a loopback address, and a kubelet does not remove pods and images
 * when the disk fills: it is the disk of this machine, whose other files it cannot remove.
 */
async function kubeletPatches(): Promise<PatchText[]> {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  const nameservers = reachableNameServers(texts).map((address) => ({ address }));
  return [
    'machine: { features: { imageCache: { localEnabled: true } } }',
    JSON.stringify({ apiVersion: 'v1alpha1', kind: 'ResolverConfig', nameservers }),
    JSON.stringify({ apiVersion: 'v1alpha1', kind: 'KubeletConfig', config: withoutDiskLimits }),
  ].map((text) => ({ source: 'for Kubernetes in containers', text }));
}

/** Source: Kubernetes: KubeletConfiguration (v1beta1). */
const withoutDiskLimits = {
  imageGCHighThresholdPercent: 100,
  evictionHard: {
    'memory.available': '100Mi',
    ...{ 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%' },
    'imagefs.inodesFree': '0%',
  },
};

function archiveOf(files: Readonly<Record<string, string>>, user: number): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files))
    archive.entry({ name, mode: 0o600, uid: user, gid: user }, content);
  archive.finalize();
  return buffer(archive);
}
