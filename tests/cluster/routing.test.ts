// Which nodes forward calls, and which roles may do what, through every route.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NodeClient } from '@nodewright/client';
import { metadataKeys } from '@nodewright/contract';
import { RebootResponse, VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, type FaultKind } from '@nodewright/fault';
import { Metadata } from 'nice-grpc';
import { callNodes } from './call-nodes.ts';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
let king: Node;
let worker: Node;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 2, workers: 1 }));
  [king] = cluster.controlPlanes as [Node];
  [worker] = cluster.workers as [Node];
});
after(() => scope.disposeAsync());

const refused = (kind: FaultKind, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.deepEqual([error.kind, message.test(error.message)], [kind, true], error.message);
  return true;
};
const toNode = (node: string) => ({ metadata: Metadata({ [metadataKeys.node]: node }) });
const names = () => cluster.nodes.map(({ name }) => name);

/** The API through this node's apid, with a certificate for these roles. */
async function endpointOf(node: Node, ...roles: string[]): Promise<NodeClient> {
  return scope.use(await cluster.client({ endpoints: [node.address], roles })).firstEndpoint();
}

async function versions(endpoint: Node, ...nodes: string[]): Promise<VersionResponse> {
  return callNodes({
    context: await cluster.context('os:reader'),
    endpoint: endpoint.address,
    path: '/machine.MachineService/Version',
    decode: (bytes) => VersionResponse.decode(bytes),
    nodes,
  });
}

test('a control plane forwards an aggregated call to all nodes and labels each entry with its node', async () => {
  const { messages } = await versions(king, ...names());
  assert.deepEqual(messages.map(({ metadata }) => metadata?.hostname).toSorted(), names());
  assert.ok(messages.every(({ metadata, version }) => metadata?.error === '' && version !== undefined));
});

test('a worker answers for itself and refuses to forward calls', async () => {
  const { machine } = await endpointOf(worker, 'os:reader');
  for (const options of [{}, toNode(worker.name), toNode(worker.address)]) {
    assert.equal((await machine.version({}, options)).messages.length, 1);
  }
  assert.equal((await versions(worker, worker.name)).messages.length, 1);

  const noForwarding = refused('permission-denied', /no request forwarding/);
  await assert.rejects(machine.version({}, toNode(king.name)), noForwarding);
  await assert.rejects(machine.version({}, toNode(king.address)), noForwarding);
  await assert.rejects(versions(worker, king.name), noForwarding);
  await assert.rejects(versions(worker, worker.name, king.name), noForwarding);
});

test('Reboot is refused to a reader at the endpoint, through one hop and for several nodes at once', async () => {
  const { machine } = await endpointOf(king, 'os:reader');
  const notAuthorized = refused('permission-denied', /not authorized/);
  await assert.rejects(machine.reboot({}), notAuthorized);
  for (const name of names()) await assert.rejects(machine.reboot({}, toNode(name)), notAuthorized);

  const several = callNodes({
    context: await cluster.context('os:reader'),
    endpoint: king.address,
    path: '/machine.MachineService/Reboot',
    decode: (bytes) => RebootResponse.decode(bytes),
    nodes: names(),
  });
  await assert.rejects(several, /not authorized/);
});

test('all roles of a certificate count, also one hop away', async () => {
  const { machine } = await endpointOf(king, 'os:etcd:backup', 'os:reader', 'os:unheard-of');
  for (const name of names()) assert.equal((await machine.version({}, toNode(name))).messages.length, 1);
});

test('a certificate without roles may do nothing', async () => {
  const { machine } = await endpointOf(king);
  const notAuthorized = refused('permission-denied', /not authorized/);
  for (const name of names()) await assert.rejects(machine.version({}, toNode(name)), notAuthorized);
});

test('a client cannot claim other roles', async () => {
  for (const roles of [['os:reader'], []]) {
    const { machine } = await endpointOf(king, ...roles);
    const metadata = Metadata({ [metadataKeys.role]: 'os:admin', [metadataKeys.node]: worker.name });
    await assert.rejects(machine.reboot({}, { metadata }), refused('permission-denied', /not authorized/));
  }
});

test('an administrator gets UNIMPLEMENTED for a method that does not exist yet', async () => {
  const { debug } = await endpointOf(king, 'os:admin');
  const run = Array.fromAsync(debug.containerRun((async function* () {})()));
  await assert.rejects(run, refused('unimplemented', /./));
});
