import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildInfo } from '@nodewright/contract';
import { MachineType, type Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { type AffiliateSpec, kubeSpanAffiliateSpec } from '@nodewright/state/kinds';
import {
  discoveredEndpoints,
  type GivenNode,
  localAffiliate,
  membersOf,
  mergeAffiliates,
  recordAffiliates,
  seedAffiliates,
  seedEndpoints,
} from './affiliates.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

const own: GivenNode = { hostname: 'node01', addresses: ['127.1.0.2'] };
const member = (
  hostname: string,
  address: string,
  machineType: number = MachineType.MACHINE_TYPE_WORKER,
): Member => ({ hostname, addresses: [address], machineType }) as Member;

function affiliate(changed: Partial<AffiliateSpec>): AffiliateSpec {
  return {
    nodeId: '',
    addresses: [],
    hostname: '',
    nodename: '',
    operatingSystem: '',
    machineType: 'unknown',
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane: undefined,
    ...changed,
  };
}

test('seedAffiliates() lists the other nodes, and this one neither by its old nor by its new name', () => {
  const membership = [
    member('node01', '127.1.0.2'),
    member('renamed', '127.1.0.2'),
    member('node02', '127.1.0.3', MachineType.MACHINE_TYPE_CONTROL_PLANE),
    member('node03', '127.1.0.4', 99),
  ];
  assert.deepEqual(seedAffiliates(membership, own), [
    {
      id: 'membership/node02',
      spec: affiliate({
        addresses: ['127.1.0.3'],
        hostname: 'node02',
        nodename: 'node02',
        machineType: 'controlplane',
      }),
    },
    {
      id: 'membership/node03',
      spec: affiliate({ addresses: ['127.1.0.4'], hostname: 'node03', nodename: 'node03' }),
    },
  ]);
});

test('seedAffiliates() leaves out nodes that have a record with the same name or address', () => {
  const seed = [member('node02', '127.1.0.3'), member('node03', '127.1.0.4'), member('node04', '127.1.0.5')];
  const records = [
    nodeRecord(3, { addresses: ['127.1.0.3'], hostname: 'renamed' }),
    nodeRecord(4, { addresses: ['127.1.0.9'], hostname: 'node03' }),
  ];
  assert.deepEqual(
    seedAffiliates(seed, own, records).map(({ id }) => id),
    ['membership/node04'],
  );
});

test('recordAffiliates() lists the records of the other nodes, without the record of this one', () => {
  const records = [nodeRecord(2), controlPlaneRecord(3, { apiServerPort: 6443 })];
  assert.deepEqual(recordAffiliates(records, 'id2'), [
    {
      id: 'etcd/id3',
      spec: affiliate({
        nodeId: 'id3',
        addresses: ['127.1.0.3'],
        hostname: 'node3',
        nodename: 'node3',
        operatingSystem: 'Talos (v1.14.0)',
        machineType: 'controlplane',
        controlPlane: { port: 6443 },
      }),
    },
  ]);
});

test('seedEndpoints() lists the control planes of the seed, including this node', () => {
  const seed = [
    member('node01', '127.1.0.2', MachineType.MACHINE_TYPE_CONTROL_PLANE),
    member('node02', '127.1.0.3', MachineType.MACHINE_TYPE_INIT),
    member('node03', '127.1.0.4'),
  ];
  assert.deepEqual(seedEndpoints(seed), { addresses: ['127.1.0.2', '127.1.0.3'], hosts: [] });
  assert.equal(seedEndpoints(seed.slice(2)), undefined);
});

test('localAffiliate() converts the facts about this node to an affiliate', () => {
  const facts = {
    nodeId: 'id1',
    hostname: { hostname: 'alpha', domainname: 'lab.example' },
    nodename: undefined,
    machineType: 'controlplane' as const,
    addresses: ['10.0.0.1/24', 'fd00::1/64'],
    apiServerPort: 6443,
  };
  const wanted = affiliate({
    nodeId: 'id1',
    addresses: ['10.0.0.1', 'fd00::1'],
    hostname: 'alpha.lab.example',
    nodename: 'alpha',
    operatingSystem: `Talos (${buildInfo.tag})`,
    machineType: 'controlplane',
    controlPlane: { port: 6443 },
  });
  assert.deepEqual(localAffiliate(facts), wanted);
  const short = {
    ...facts,
    hostname: { hostname: 'alpha', domainname: '' },
    nodename: 'n1',
    apiServerPort: undefined,
  };
  assert.deepEqual(localAffiliate(short), {
    ...wanted,
    hostname: 'alpha',
    nodename: 'n1',
    controlPlane: undefined,
  });
});

test('mergeAffiliates() merges the affiliates that several registries list for one node', () => {
  const raw = [
    affiliate({ nodeId: 'a', addresses: ['10.0.0.1'], hostname: 'one' }),
    affiliate({ nodeId: 'a', addresses: ['10.0.0.2', '10.0.0.1'], nodename: 'n1', machineType: 'worker' }),
    affiliate({ hostname: 'two' }),
  ];
  assert.deepEqual(mergeAffiliates(raw), [
    {
      id: 'a',
      spec: affiliate({
        nodeId: 'a',
        addresses: ['10.0.0.1', '10.0.0.2'],
        hostname: 'one',
        nodename: 'n1',
        machineType: 'worker',
      }),
    },
    { id: 'two', spec: affiliate({ hostname: 'two' }) },
  ]);
});

test('membersOf() leaves out affiliates without a nodename and lists each name once', () => {
  const affiliates = [
    affiliate({ nodeId: 'a', nodename: 'one', addresses: ['10.0.0.1'] }),
    affiliate({ nodeId: 'b', hostname: 'laptop' }),
    affiliate({ nodeId: 'c', nodename: 'one', addresses: ['10.0.0.3'] }),
  ];
  assert.deepEqual(
    membersOf(affiliates).map(({ id, spec }) => [id, spec.nodeId]),
    [['one', 'a']],
  );
});

test('membersOf() lists two nodes with the same nodename separately', () => {
  const affiliates = [
    affiliate({ nodeId: 'a', nodename: 'one', hostname: 'one.x' }),
    affiliate({ nodeId: 'b', nodename: 'one', hostname: 'one.y' }),
    affiliate({ nodename: 'one', hostname: 'one' }),
  ];
  assert.deepEqual(
    membersOf(affiliates).map(({ id, spec }) => [id, spec.nodeId]),
    [
      ['one', 'a'],
      ['one.y', 'b'],
    ],
  );
});

test('discoveredEndpoints() lists the addresses of the control planes', () => {
  const members = membersOf([
    affiliate({ nodename: 'one', addresses: ['10.0.0.1', 'fd00::1'], machineType: 'controlplane' }),
    affiliate({ nodename: 'two', addresses: ['10.0.0.2'], machineType: 'worker' }),
    affiliate({ nodename: 'three', addresses: ['10.0.0.1'], machineType: 'init' }),
  ]).map(({ spec }) => spec);
  assert.deepEqual(discoveredEndpoints(members), { addresses: ['10.0.0.1', 'fd00::1'], hosts: [] });
  assert.equal(discoveredEndpoints([]), undefined);
});

test('seedAffiliates() lets no worker replace a control plane of the seed', () => {
  const seed = [
    member('node02', '127.1.0.3', MachineType.MACHINE_TYPE_CONTROL_PLANE),
    member('node03', '127.1.0.4'),
  ];
  const ids = (...records: Parameters<typeof seedAffiliates>[2] & object) =>
    seedAffiliates(seed, own, records).map(({ id }) => id);
  const claims = { hostname: 'node02', addresses: ['127.1.0.3'] };
  assert.deepEqual(ids(nodeRecord(5, claims)), ['membership/node02', 'membership/node03']);
  assert.deepEqual(ids(nodeRecord(5, { hostname: 'node03' })), ['membership/node02']);
  assert.deepEqual(ids(controlPlaneRecord(5, claims)), ['membership/node03']);
});

test('a worker that claims the name or the id of a control plane of the seed takes neither its place nor its calls', () => {
  const seed = affiliate({
    hostname: 'node02',
    nodename: 'node02',
    addresses: ['127.1.0.3'],
    machineType: 'controlplane',
  });
  for (const nodeId of ['aa', 'node02', 'zz']) {
    const claim = affiliate({
      ...{ nodeId, hostname: 'node02', nodename: 'node02', addresses: ['127.1.0.9'] },
      machineType: 'worker',
    });
    for (const raw of [
      [seed, claim],
      [claim, seed],
    ]) {
      const merged = mergeAffiliates(raw).map(({ spec }) => spec);
      const [first, ...others] = membersOf(merged).map(({ id, spec }) => [
        id,
        spec.machineType,
        ...spec.addresses,
      ]);
      assert.deepEqual([first, others], [['node02', 'controlplane', '127.1.0.3'], []]);
    }
  }
});
