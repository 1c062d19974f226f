import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import type { ClusterMaterial } from '../cluster/cluster-material.ts';
import type { Creation } from '../cluster/creation.ts';
import { membersFile } from '../cluster/members-file.ts';
import { claimFolder, completeCluster, draftState, writeClusterFiles } from '../cluster/new-cluster-files.ts';
import { reservedCidrs } from '../cluster/read-cluster.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { planNodes } from '../domain/cluster-shape.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { candidateSubnets, gatewayAddress, parseSubnet, type Subnet, subnetCidr } from '../domain/subnet.ts';
import { awaitNodes } from './await-nodes.ts';
import { formProcessEtcd } from './form-process-etcd.ts';
import type { ProcessParts } from './process-parts.ts';
import { startSupervisor } from './start-supervisor.ts';

/** Tried in automatic choice before giving up: with more than that taken, something else is wrong. */
const candidateCount = 32;

/**
 * Makes a cluster where nothing is. Until its state says `created`, a failure removes everything again; after a kill
 * the supervisor notices that its starter is gone and ends, and the folder says `creating`.
 */
export async function createAnew(creation: Creation<ProcessParts>, patchDigest: string): Promise<void> {
  const { request, folder, parts, progress, signal } = creation;
  await using undo = new AsyncDisposableStack();
  const draft = draftState(creation, 'process', patchDigest);
  await claimFolder(folder, draft, undo);

  // Keys take the longest and need no addresses; addresses need no keys.
  const candidates = await candidatesFor(creation);
  const starting = progress.step('supervisor', () =>
    startSupervisor({
      folder,
      candidates,
      programs: parts.programs,
      environment: parts.environment,
      signal,
    }),
  );
  const secrets = progress.step('secrets', parts.makeMaterial);
  undo.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
  const [material, supervisor] = await Promise.all([secrets, starting]);

  const { subnet } = supervisor;
  const nodes = planNodes(request.shape, subnet);
  const endpoints = nodes.filter(({ type }) => type === 'controlplane').map(({ address }) => address);
  const talosconfig = await material.talosconfig(request.name, endpoints);
  const kubernetesEndpoint = `https://${endpoints[0]}:6443`;
  const planned: ClusterState = {
    ...draft,
    network: { cidr: subnetCidr(subnet), gateway: gatewayAddress(subnet) },
    nodes,
    kubernetesEndpoint,
  };
  await progress.step('machine configurations', async () => {
    await writeNodeFiles(creation, planned, material, subnet);
    await writeClusterFiles(folder, planned, material, talosconfig);
  });
  signal.throwIfAborted();
  await supervisor.startNodes(nodes.map(({ name }) => name));

  const created = await completeCluster(creation, planned, talosconfig);
  await supervisor.release();
  undo.move();
  await awaitNodes(creation, created, talosconfig);
  await formProcessEtcd(creation, created, talosconfig);
}

async function candidatesFor({ request, folder }: Creation): Promise<Subnet[]> {
  if (request.cidr !== undefined) return [parseSubnet(request.cidr)];
  return candidateSubnets(`${request.name}\0${folder.path}`, candidateCount, await reservedCidrs(request));
}

async function writeNodeFiles(
  { request, folder }: Creation,
  { nodes, kubernetesEndpoint: endpoint = '' }: ClusterState,
  material: ClusterMaterial,
  subnet: Subnet,
): Promise<void> {
  const members = membersFile(nodes);
  const timeServer = `${gatewayAddress(subnet)}:${clusterPorts.time}`;
  const writes = nodes.flatMap((node) => {
    const { name: clusterName, patches } = request;
    const config = material.nodeConfig({ clusterName, node, endpoint, timeServer, certSans: [], patches });
    const root = folder.nodeRoot(node.name);
    return [
      writePrivateFile(join(root, nodePaths.machineConfig), config),
      writePrivateFile(join(root, nodePaths.membership), members),
    ];
  });
  await Promise.all([...writes, writePrivateFile(folder.members, members)]);
}
