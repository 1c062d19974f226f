import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { buildCertificates } from '../cluster/build-certificates.ts';
import type { EtcdFacts, NodeLauncher, PlacedCluster } from '../cluster/cluster-kind.ts';
import type { ClusterFiles, ClusterMaterial } from '../cluster/cluster-material.ts';
import type { Creation } from '../cluster/creation.ts';
import { membersFile } from '../cluster/members-file.ts';
import { reservedCidrs } from '../cluster/read-cluster.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { planNodes } from '../domain/cluster-shape.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { etcdVariable } from '../domain/daemon-environment.ts';
import { candidateSubnets, gatewayAddress, parseSubnet, type Subnet, subnetCidr } from '../domain/subnet.ts';
import { startWishSignal } from '../domain/supervisor-message.ts';
import { askSupervisor } from './ask-supervisor.ts';
import { awaitRunState } from './await-run-state.ts';
import { hasEtcdData, isNodeWiped } from './node-contents.ts';
import { sendNodeWishes } from './node-wishes.ts';
import type { ProcessParts } from './process-parts.ts';
import { type StartedSupervisor, startSupervisor } from './start-supervisor.ts';
import { watchForHopelessNode } from './watch-for-hopeless-node.ts';

/**
 * How many subnets to try in the automatic choice. When all of these are taken, the cause must be another
 * problem.
 */
const candidateCount = 32;

/** Starts nodes as children of a detached supervisor, which claims their addresses. */
export function openProcessLauncher(
  creation: Creation<ProcessParts>,
  _state: ClusterState | undefined,
  undo: AsyncDisposableStack,
): NodeLauncher {
  const { folder, parts, progress, signal } = creation;
  const { programs, environment } = parts;
  let supervisor: StartedSupervisor | undefined;
  let startsMissing = false;
  const start = async (choose: () => Subnet[] | Promise<Subnet[]>): Promise<StartedSupervisor> => {
    const candidates = await choose();
    supervisor = await progress.step('supervisor', () =>
      startSupervisor({ folder, candidates, programs, environment, signal }),
    );
    return supervisor;
  };
  const startNodes = async ({ nodes }: ClusterState) =>
    running(supervisor).startNodes(nodes.map(({ name }) => name));
  return {
    draft: () => ({}),
    async place(draft) {
      // If this process is killed, the supervisor loses its starter and exits, and the state still says
      // `creating`.
      const starting = start(() => candidatesFor(creation));
      undo.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
      return placedOn(creation, draft, (await starting).subnet);
    },
    configure: async (state, material) => configurationsOf(creation, state, material),
    handOut: (state, files) => writeNodeFiles(creation, state, files),
    launch: startNodes,
    async checkData() {},
    async launchAgain(state) {
      undo.use(await start(() => [parseSubnet(state.network?.cidr ?? '')]));
      await startNodes(state);
    },
    launchMissing(state) {
      startsMissing = true;
      return startNodesThatAreOff(creation, state);
    },
    launchNode: (state, node) => startNode(creation, state, node),
    release: async () => {
      // A supervisor that is not released ends with this process.
      if (creation.request.isTemporary !== true) await running(supervisor).release();
    },
    isWiped: (node) => isNodeWiped(folder, node),
    reaches: () => true,
    logOf: (node) => folder.nodeLog(node),
    watchForHopeless: (state, ended) =>
      watchForHopelessNode(folder, state, ended, async () => {
        if (startsMissing) await startNodesThatAreOff(creation, state);
      }),
    etcd: (state) => etcdFacts(creation, state),
    // The programs of nodes are from the same build as talosctl, until a node is upgraded: then they are wanted to differ.
    buildNote: () => undefined,
  };
}

function running(supervisor: StartedSupervisor | undefined): StartedSupervisor {
  if (supervisor === undefined) throw new Fault('internal', 'no supervisor was started');
  return supervisor;
}

async function candidatesFor({ request, folder }: Creation): Promise<Subnet[]> {
  if (request.cidr !== undefined) return [parseSubnet(request.cidr)];
  return candidateSubnets(`${request.name}\0${folder.path}`, candidateCount, await reservedCidrs(request));
}

function placedOn({ request }: Creation, draft: ClusterState, subnet: Subnet): PlacedCluster {
  const nodes = planNodes(request.shape, subnet);
  const endpoints = nodes.filter(({ type }) => type === 'controlplane').map(({ address }) => address);
  const network = { cidr: subnetCidr(subnet), gateway: gatewayAddress(subnet) };
  return {
    state: { ...draft, network, nodes, kubernetesEndpoint: `https://${endpoints[0]}:6443` },
    endpoints,
  };
}

function configurationsOf(
  { request }: Creation,
  { nodes, network, kubernetes, kubernetesEndpoint: endpoint = '' }: ClusterState,
  material: ClusterMaterial,
): ReadonlyMap<string, string> {
  const { name: clusterName, patches, configure } = request;
  const timeServer = `${network?.gateway}:${clusterPorts.time}`;
  return new Map(
    nodes.map((node) => {
      const config = material.nodeConfig({
        ...{ clusterName, node, endpoint, timeServer, certSans: [], patches },
        kubernetesVersion: kubernetes?.version,
      });
      return [node.name, configure === undefined ? config : configure(node, config)];
    }),
  );
}

async function writeNodeFiles(
  { folder, parts }: Creation<ProcessParts>,
  { nodes }: ClusterState,
  { configurations }: ClusterFiles,
): Promise<void> {
  const members = membersFile(nodes);
  const certificates = buildCertificates(parts.programs.servicesFolder);
  const writes = nodes.flatMap(({ name }) => {
    const root = folder.nodeRoot(name);
    return [
      writePrivateFile(join(root, nodePaths.machineConfig), configurations.get(name) ?? ''),
      writePrivateFile(join(root, nodePaths.membership), members),
      ...(certificates === undefined
        ? []
        : [writePrivateFile(join(root, nodePaths.trustedCertificates), certificates)]),
    ];
  });
  await Promise.all([...writes, writePrivateFile(folder.members, members)]);
}

async function startNodesThatAreOff({ folder, progress }: Creation, state: ClusterState): Promise<void> {
  const supervisor = await askSupervisor(folder, state);
  const off = (supervisor?.nodes ?? []).filter((node) => node.state === 'off').map(({ name }) => name);
  if (supervisor === undefined || off.length === 0) return;
  progress.note(`starting the stopped nodes: ${off.join(', ')}`);
  process.kill(supervisor.pid, startWishSignal);
}

/**
 * Starts one node. A worker is called through the first control plane that runs; when none runs, there is no
 * node to wait for.
 */
async function startNode(
  { folder }: Creation,
  state: ClusterState,
  node: string,
): Promise<(name: string) => boolean> {
  const owner = await askSupervisor(folder, state);
  if (owner === undefined)
    throw new Fault('unavailable', `the supervisor does not answer: see ${folder.supervisorLog}`);
  await sendNodeWishes(folder, owner.pid, { start: [node], stop: [] });
  await awaitRunState(folder, state, node, 'running');
  const after = await askSupervisor(folder, state);
  const runs = (name: string) => after?.nodes.some((each) => each.name === name && each.state === 'running');
  const entrance = state.nodes.find(({ name, type }) => type === 'controlplane' && runs(name));
  return (name) => entrance !== undefined && (name === node || name === entrance.name);
}

function etcdFacts({ folder, parts }: Creation<ProcessParts>, { nodes }: ClusterState): EtcdFacts {
  if (parts.programs.etcd === undefined) {
    // A user who asked for a cluster without etcd needs no note.
    const isUnwanted = parts.environment[etcdVariable] === 'none';
    const note = 'etcd is not installed for the control planes: run make etcd, then start the cluster again';
    return { kind: 'absent', note: isUnwanted ? undefined : note };
  }
  const controlPlanes = nodes.filter(({ type }) => type === 'controlplane');
  const isNew = !controlPlanes.some(({ name }) => hasEtcdData(folder, name));
  return { kind: 'present', isNew };
}
