// What a control plane lets trustd sign, from the resources and lists that it has at the moment.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChangeSignal } from '@nodewright/async';
import type { CheckCertificateResponse } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType, type Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { faultFrom } from '@nodewright/fault';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  hostnameStatuses,
  machineConfigs,
  machineResetSignals,
  machineTypes,
  nodeAddresses,
  type OperatorSpecSpec,
  operatorSpecs,
  osRootSecrets,
} from '@nodewright/state/kinds';
import type { CallContext } from 'nice-grpc';
import { clusterControllers } from '../controllers/cluster-controllers.ts';
import { controlPlaneRecord, nodeRecord } from '../domain/testing/node-record.ts';
import { NodeRegistry } from '../host/node-registry.ts';
import { createMembershipService } from './membership.ts';

const other = controlPlaneRecord(2, { addresses: ['10.5.0.2'], hostname: 'cp2', nodename: 'cp2' });
const absent = controlPlaneRecord(3, { addresses: ['10.5.0.3'], hostname: 'cp3', nodename: 'cp3' });
const worker = nodeRecord(7, { addresses: ['10.5.0.7'], hostname: 'w7', nodename: 'w7' });
const lists = { nodes: [other, worker], controlPlanes: [{ record: absent, memberId: 'a3' }] };

/** The node `cp1` with the controllers that publish what it is called. It has no configuration at first. */
async function openNode(scope: AsyncDisposableStack, hasEtcdData: () => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'check-certificate-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const registry = new NodeRegistry();
  const seedMember = {
    hostname: 'seeded',
    addresses: ['10.5.0.4'],
    machineType: MachineType.MACHINE_TYPE_CONTROL_PLANE,
  } as Member;
  const runtime = scope.use(
    openTestRuntime({
      controllers: clusterControllers({
        seed: { current: () => [seedMember], nextChange: (signal) => new ChangeSignal().next(signal) },
        registry,
        follow: (_plan, _log, signal) => new ChangeSignal().next(signal),
        seedGraceMs: 1,
        own: { hostname: 'cp1', addresses: ['10.5.0.1'] },
        identityFile: join(folder, 'node-identity.yaml'),
      }),
    }),
  );
  const service = createMembershipService({
    registry,
    timing: { leaseSeconds: 1, firstRetryMs: 1 },
    hasEtcdData: async () => hasEtcdData(),
    stopSignal: new AbortController().signal,
  });
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(runtime.state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  const ask = async (commonName: string, dnsNames: string[], addresses: string[]) => {
    const request = { commonName, dnsNames, addresses, callerAddress: '10.5.0.7' };
    try {
      const answer = (await service.checkCertificate(request, {} as CallContext)) as CheckCertificateResponse;
      return [...(answer.withheldNames ?? []), ...(answer.withheldAddresses ?? [])].join();
    } catch (error) {
      const { kind, message } = faultFrom(error);
      return `${kind}: ${message}`;
    }
  };
  return {
    registry,
    put,
    /** What is left out of a certificate that names everything that this test reserves, or why there is none. */
    askForAll: () =>
      ask(
        'w7',
        ['w7', 'cp1', 'seeded', 'cp2', 'cp3', 'api.test', 'balancer.test'],
        ['10.5.0.7', '10.5.0.1', '10.5.0.2', '10.5.0.3', '10.5.0.4', '10.5.0.99', '10.5.0.100'],
      ),
    ask,
    async configure() {
      await put(
        machineConfigs,
        'v1alpha1',
        'version: v1alpha1\ncluster: { controlPlane: { endpoint: "https://api.test:6443" } }\n',
      );
      await put(machineTypes, 'machine-type', 'controlplane');
      await put(nodeAddresses, 'current', { addresses: ['10.5.0.1/24'], sortAlgorithm: 'v1' });
      const vip = { ip: '10.5.0.100', gratuitousARP: true } as OperatorSpecSpec['vip'];
      await put(operatorSpecs, 'vip/eth0', { operator: 'vip', linkName: 'eth0', vip } as OperatorSpecSpec);
      await put(osRootSecrets, 'os', {
        issuingCA: undefined,
        acceptedCAs: [],
        certSANIPs: ['10.5.0.99'],
        certSANDNSNames: ['balancer.test'],
        token: 'token',
      });
      await put(hostnameStatuses, 'hostname', { hostname: 'cp1', domainname: '' });
    },
  };
}

const ownAndDeclared = 'cp1,seeded,api.test,balancer.test,10.5.0.1,10.5.0.4,10.5.0.99,10.5.0.100';
const notOwn = 'unavailable: this control plane does not know its own names yet, or is being reset';
const notRead = 'unavailable: this control plane has not yet read from etcd which names are taken';

test('CheckCertificate answers nothing until the node knows its own names and has read those of its cluster', async () => {
  await using scope = new AsyncDisposableStack();
  const node = await openNode(scope, () => true);
  assert.equal(await node.askForAll(), notOwn);
  await node.configure();
  assert.equal(await node.askForAll(), notRead);
  assert.equal(await node.ask('cp2', ['cp2'], []), notRead);
  node.registry.setNodes(lists.nodes);
  assert.equal(await node.askForAll(), notRead);
  node.registry.setControlPlanes(lists.controlPlanes);
  assert.equal(
    await node.askForAll(),
    'cp1,cp2,cp3,api.test,balancer.test,10.5.0.1,10.5.0.2,10.5.0.3,10.5.0.99,10.5.0.100',
  );
  assert.match(await node.ask('cp2', ['cp2'], []), /^permission-denied: "cp2" belongs to node "cp2"/);
  assert.match(await node.ask('cp3', [], []), /^permission-denied: "cp3" belongs to control plane "cp3"/);
  await node.put(machineResetSignals, 'machine', {});
  assert.equal(await node.askForAll(), notOwn);
});

test('CheckCertificate lets workers join a control plane that has no data of etcd, but not under its own names', async () => {
  await using scope = new AsyncDisposableStack();
  let hasEtcdData = false;
  const node = await openNode(scope, () => hasEtcdData);
  assert.equal(await node.askForAll(), notOwn);
  await node.configure();
  assert.equal(await node.askForAll(), ownAndDeclared);
  assert.match(await node.ask('cp1', [], []), /^permission-denied: "cp1" belongs to node "cp1"/);
  assert.match(
    await node.ask('Seeded.', [], []),
    /^permission-denied: "Seeded." leads to the control planes/,
  );
  // Bootstrap was called.
  hasEtcdData = true;
  assert.equal(await node.askForAll(), notRead);
  node.registry.setNodes([]);
  node.registry.setControlPlanes([]);
  assert.equal(await node.askForAll(), ownAndDeclared.replace('seeded,', '').replace('10.5.0.4,', ''));
});
