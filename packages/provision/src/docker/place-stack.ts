import { createSocket } from 'node:dgram';
import { faultFrom } from '@nodewright/fault';
import type { Creation } from '../cluster/creation.ts';
import { reservedCidrs } from '../cluster/read-cluster.ts';
import { planNodes } from '../domain/cluster-shape.ts';
import type { ClusterState, StackState } from '../domain/cluster-state.ts';
import { ownedStack } from '../domain/owned-stack.ts';
import { jaegerPorts, stackDocument } from '../domain/stack-document.ts';
import { gatewayAddress, type Subnet, subnetCidr, subnetPrefix } from '../domain/subnet.ts';
import { type Engine, engineAccess } from '../engine/index.ts';
import { chooseHostPorts, chooseSubnet, holdPlaceLock } from './choose-place.ts';
import type { DockerParts } from './docker-parts.ts';
import { composeWords } from './stack-engine.ts';
import { removeObjects } from './stack-objects.ts';
import { writeStackFile } from './write-stack-file.ts';

/** The number of attempts: another program may take the chosen network before the engine creates it. */
const attempts = 5;

/**
 * Chooses free addresses and ports, writes the compose file, and creates containers, network and volumes
 * without starting them. Resolves to the state that describes them.
 */
export async function placeStack(
  creation: Creation<DockerParts>,
  engine: Engine,
  draft: ClusterState,
): Promise<ClusterState> {
  const { request, folder, signal } = creation;
  await using _lock = await holdPlaceLock(signal);
  const reserved = await reservedCidrs(request);
  for (let attempt = 1; ; attempt++) {
    const subnet = await chooseSubnet(engine, request.cidr, reserved);
    const planned = await planState(creation, engine, draft, subnet);
    await writeStackFile(folder, documentOf(creation, planned, subnet));
    signal.throwIfAborted();
    try {
      // Do not abort this command: the engine would still create what compose has requested, possibly after
      // the cleanup.
      await engine.run([...composeWords(folder, request.name), 'create', '--no-build'], { isWhole: true });
      return planned;
    } catch (error) {
      const isTaken = /overlap/i.test(faultFrom(error).message);
      if (!isTaken || attempt === attempts || request.cidr !== undefined) throw error;
      await removeObjects(engine, folder.path, { graceful: false });
      reserved.add(subnetCidr(subnet));
    }
  }
}

/**
 * Whether this host is on the cluster's network. If the engine runs here, its bridge has the gateway's
 * address, and a socket can be bound to it. Node.js does not list an interface on which no container runs
 * yet.
 */
export function reachesNodes(gateway: string): Promise<boolean> {
  const socket = createSocket('udp4');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('error', () => socket.close(() => resolve(false)));
  socket.bind({ address: gateway, port: 0 }, () => socket.close(() => resolve(true)));
  return promise;
}

/** Returns the endpoints of the control planes' apids, for clients on this host. */
export function stackEndpoints(
  { nodes, stack }: Pick<ClusterState, 'nodes' | 'stack'>,
  reachesThem: boolean,
): string[] {
  return nodes
    .filter(({ type }) => type === 'controlplane')
    .map(({ name, address }) => (reachesThem ? address : `127.0.0.1:${stack?.publishedPorts[name]}`));
}

async function planState(
  { request, parts }: Creation<DockerParts>,
  engine: Engine,
  draft: ClusterState,
  subnet: Subnet,
): Promise<ClusterState & { readonly stack: StackState }> {
  const nodes = planNodes(request.shape, subnet);
  const controlPlanes = nodes.filter(({ type }) => type === 'controlplane');
  const [jaegerPort = 0, otlpPort = 0, ...apidPorts] = await chooseHostPorts(engine, [
    jaegerPorts.page,
    jaegerPorts.otlp,
    ...controlPlanes.map(() => undefined),
  ]);
  return {
    ...draft,
    network: { cidr: subnetCidr(subnet), gateway: gatewayAddress(subnet) },
    nodes,
    kubernetesEndpoint: `https://${nodes[0]?.address}:6443`,
    stack: {
      tag: parts.tag,
      ...(request.nodeImage === undefined ? {} : { nodeImage: request.nodeImage }),
      jaegerPort,
      otlpPort,
      publishedPorts: Object.fromEntries(
        controlPlanes.map(({ name }, index) => [name, apidPorts[index] ?? 0]),
      ),
      engine: draft.stack?.engine ?? {},
    },
  };
}

function documentOf(
  { request, folder, parts }: Creation<DockerParts>,
  { nodes, stack, kubernetes }: ClusterState & { readonly stack: StackState },
  subnet: Subnet,
) {
  const { nodeImage, jaegerPort, otlpPort, publishedPorts } = stack;
  return ownedStack(
    stackDocument({
      ...{ name: request.name, network: subnetPrefix(subnet), nodes, tag: parts.tag, jaegerPort, otlpPort },
      ...engineAccess(stack.engine),
      nodeImage,
      hasKubernetes: kubernetes !== undefined,
    }),
    { folder: folder.path, nodes, publishedPorts },
  );
}
