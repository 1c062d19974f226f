import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChangeSignal } from '@nodewright/async';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType, type Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { type KindRef, pointerTo, putResource, type State } from '@nodewright/state';
import {
  affiliates,
  discoveryConfigs,
  endpoints,
  etcdRootSecrets,
  etcdSecrets,
  etcFileSpecs,
  hostnameStatuses,
  identities,
  infos,
  machineConfigs,
  machineResetSignals,
  machineTypes,
  members,
  nodeAddresses,
  type OperatorSpecSpec,
  operatorSpecs,
} from '@nodewright/state/kinds';
import { controlPlaneRecord, nodeRecord } from '../domain/testing/node-record.ts';
import { NodeRegistry } from '../host/node-registry.ts';
import { clusterControllers } from './cluster-controllers.ts';
import { rawAffiliates } from './membership.ts';

const member = (hostname: string, address: string, machineType: number): Member =>
  ({ hostname, addresses: [address], machineType }) as Member;
const controlPlane = MachineType.MACHINE_TYPE_CONTROL_PLANE;
const worker = MachineType.MACHINE_TYPE_WORKER;

const seedGraceMs = 15_000;

async function openNode() {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const changed = new ChangeSignal();
  const registry = new NodeRegistry();
  const followed: string[] = [];
  let seed = [member('node01', '127.1.0.2', controlPlane), member('node02', '127.1.0.3', controlPlane)];
  const start = () =>
    openTestRuntime({
      controllers: clusterControllers({
        seed: { current: () => seed, nextChange: (signal) => changed.next(signal) },
        registry,
        async follow(plan, _log, signal) {
          followed.push(plan.kind);
          signal.addEventListener('abort', () => followed.push(`no ${plan.kind}`));
          await new ChangeSignal().next(signal);
        },
        seedGraceMs,
        own: { hostname: 'node01', addresses: ['127.1.0.2'] },
        identityFile: join(folder, 'node-identity.yaml'),
      }),
    });
  return {
    start,
    registry,
    followed,
    join(...more: Member[]) {
      seed = [...seed, ...more];
      changed.notify();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function know(state: State, hostname: string) {
  const put = <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) =>
    putResource(state, { ...pointerTo(kind, id), spec });
  await put(machineTypes, 'machine-type', 'controlplane');
  await put(hostnameStatuses, 'hostname', { hostname, domainname: '' });
  await put(nodeAddresses, 'current', { addresses: ['127.1.0.2/32'], sortAlgorithm: 'v1' });
}

const memberTexts = async (state: State) =>
  (await state.list(members)).map(({ metadata, spec }) => {
    const { machineType, operatingSystem, addresses } = spec;
    return `${metadata.id} ${machineType} ${addresses} ${operatingSystem === '' ? '-' : 'known'}`;
  });

test('the members are this node, as its resources describe it, and the other nodes of the seed', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  const { state } = runtime;
  await runtime.settled();
  assert.deepEqual(await memberTexts(state), ['node02 controlplane 127.1.0.3 -']);
  await know(state, 'node01');
  await runtime.settled();
  assert.deepEqual(await memberTexts(state), [
    'node01 controlplane 127.1.0.2 known',
    'node02 controlplane 127.1.0.3 -',
  ]);
  await know(state, 'alpha');
  node.join(member('node03', '127.1.0.4', worker));
  // The controller follows the membership file outside of the store.
  await new Promise(setImmediate);
  await runtime.settled();
  assert.deepEqual(await memberTexts(state), [
    'alpha controlplane 127.1.0.2 known',
    'node02 controlplane 127.1.0.3 -',
    'node03 worker 127.1.0.4 -',
  ]);
  assert.deepEqual((await state.get(pointerTo(endpoints, 'discovery'))).spec, {
    addresses: ['127.1.0.2', '127.1.0.3'],
    hosts: [],
  });
  assert.deepEqual(
    (await state.list(rawAffiliates)).map(({ metadata }) => metadata.id),
    ['membership/node02', 'membership/node03'],
  );
});

test('a node does not publish the virtual address that it has', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  const { state } = runtime;
  await know(state, 'node01');
  const put = <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) =>
    putResource(state, { ...pointerTo(kind, id), spec });
  const vip = { ip: '127.1.0.1', gratuitousARP: true } as OperatorSpecSpec['vip'];
  await put(operatorSpecs, 'vip/eth0/127.1.0.1', {
    operator: 'vip',
    linkName: 'eth0',
    vip,
  } as OperatorSpecSpec);
  const addresses = ['127.1.0.1/32', '127.1.0.2/32'];
  await put(nodeAddresses, 'current', { addresses, sortAlgorithm: 'v1' });
  await runtime.settled();
  assert.equal((await memberTexts(state))[0], 'node01 controlplane 127.1.0.2 known');
});

test('a record replaces the seed entry of its node, and other seed entries count for one more lease', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  const { state } = runtime;
  await know(state, 'node01');
  await runtime.settled();
  const { nodeId } = (await state.get(pointerTo(identities, 'local'))).spec;
  const publish = async (...records: NodeRecord[]) => {
    node.registry.setNodes(records);
    await new Promise(setImmediate);
    await runtime.settled();
  };
  const own = node.registry.own();
  assert.equal(own?.nodeId, nodeId);

  node.join(member('node03', '127.1.0.4', worker));
  const renamed = nodeRecord(4, { hostname: 'beta', nodename: 'beta' });
  await publish(controlPlaneRecord(2, { nodeId, hostname: 'old', nodename: 'old' }), renamed);
  assert.deepEqual(await memberTexts(state), [
    'beta worker 127.1.0.4 known',
    'node01 controlplane 127.1.0.2 known',
    'node02 controlplane 127.1.0.3 -',
  ]);
  await runtime.advance(seedGraceMs);
  const left = ['beta worker 127.1.0.4 known', 'node01 controlplane 127.1.0.2 known'];
  assert.deepEqual(await memberTexts(state), left);
  await publish();
  assert.deepEqual(await memberTexts(state), left.slice(1));

  // A node can still join through the control planes that are left of the seed.
  const addressesOf = async (id: string) => (await state.get(pointerTo(endpoints, id))).spec.addresses;
  assert.deepEqual(await addressesOf('seed'), ['127.1.0.2', '127.1.0.3']);
  assert.deepEqual(await addressesOf('discovery'), ['127.1.0.2']);
});

test('a clock that is set back does not keep the nodes of the seed longer', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  await know(runtime.state, 'node01');
  await runtime.settled();
  node.registry.setNodes([]);
  await new Promise(setImmediate);
  await runtime.settled();
  assert.equal((await memberTexts(runtime.state)).length, 2);
  runtime.timers.stepClock(-3_600_000);
  await runtime.advance(seedGraceMs);
  assert.deepEqual(await memberTexts(runtime.state), ['node01 controlplane 127.1.0.2 known']);
});

test('a node connects as its type and secrets allow, and removes its record when it is reset', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  const { state } = runtime;
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  await know(state, 'node01');
  await runtime.settled();
  assert.deepEqual(node.followed, []);
  const pair = { crt: 'crt', key: 'key' };
  await put(etcdRootSecrets, 'etcd', { etcdCA: pair });
  const secrets = { etcd: undefined, etcdPeer: undefined, etcdAPIServer: undefined };
  await put(etcdSecrets, 'etcd', { ...secrets, etcdAdmin: pair });
  assert.deepEqual(node.followed, ['etcd']);
  await put(etcdSecrets, 'etcd', { ...secrets, etcdAdmin: { ...pair, crt: 'renewed' } });
  assert.deepEqual(node.followed, ['etcd', 'no etcd', 'etcd']);
  await put(machineResetSignals, 'machine', {});
  assert.equal(node.registry.own(), undefined);
});

test('a node keeps its identity after a restart and derives its machine id from it', async () => {
  await using node = await openNode();
  const nodeIds: string[] = [];
  for (let count = 0; count < 2; count++) {
    await using runtime = node.start();
    await know(runtime.state, 'node01');
    await runtime.settled();
    const { nodeId } = (await runtime.state.get(pointerTo(identities, 'local'))).spec;
    nodeIds.push(nodeId);
    assert.equal((await runtime.state.get(pointerTo(affiliates, nodeId))).spec.hostname, 'node01');
    const file = (await runtime.state.get(pointerTo(etcFileSpecs, 'machine-id'))).spec;
    assert.match(file.contents, /^[0-9a-f]{32}$/);
  }
  assert.equal(nodeIds[0], nodeIds[1]);
});

test('the cluster info and the discovery settings follow the configuration in force', async () => {
  await using node = await openNode();
  await using runtime = node.start();
  const { state } = runtime;
  const apply = async (spec: string) => {
    await putResource(state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec });
    await runtime.settled();
  };
  await apply('version: v1alpha1\ncluster: { id: aWQ=, clusterName: lab, discovery: { enabled: true } }\n');
  assert.deepEqual((await state.get(pointerTo(infos, 'current'))).spec, {
    clusterId: 'aWQ=',
    clusterName: 'lab',
  });
  const { spec } = await state.get(pointerTo(discoveryConfigs, 'cluster'));
  assert.deepEqual([spec.discoveryEnabled, spec.serviceEndpoint], [true, 'discovery.talos.dev:443']);
  await apply('apiVersion: v1alpha1\nkind: EventSinkConfig\nendpoint: a:1\n');
  assert.deepEqual([await state.list(infos), await state.list(discoveryConfigs)], [[], []]);
});
