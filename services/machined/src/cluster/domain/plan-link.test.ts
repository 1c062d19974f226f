import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeSpanAffiliateSpec } from '@nodewright/state/kinds';
import { type LinkFacts, planLink } from './plan-link.ts';

const pair = (name: string) => ({ crt: `${name} crt`, key: `${name} key` });
const none: LinkFacts = {
  machineType: undefined,
  own: undefined,
  endpoints: [],
  etcdRoot: undefined,
  etcdSecrets: undefined,
  osRoot: undefined,
};
const known: LinkFacts = {
  machineType: 'controlplane',
  own: {
    nodeId: 'id1',
    addresses: ['10.5.0.3', 'fd00::3'],
    hostname: 'node02',
    nodename: 'node02',
    operatingSystem: '',
    machineType: 'controlplane',
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane: undefined,
  },
  endpoints: [
    { id: 'controlplane', spec: { addresses: [], hosts: ['api.lab.example'] } },
    { id: 'discovery', spec: { addresses: ['10.5.0.3', 'fd00::3', '10.5.0.4'], hosts: [] } },
    { id: 'seed', spec: { addresses: ['10.5.0.2', '10.5.0.3'], hosts: [] } },
  ],
  etcdRoot: { etcdCA: pair('ca') },
  etcdSecrets: { etcd: undefined, etcdPeer: undefined, etcdAdmin: pair('admin'), etcdAPIServer: undefined },
  osRoot: {
    issuingCA: undefined,
    acceptedCAs: [{ crt: 'os crt' }],
    certSANIPs: [],
    certSANDNSNames: [],
    token: 'secret',
  },
};

test('planLink() connects a control plane to the etcd of all possible control planes, its own first', () => {
  assert.deepEqual(planLink(known), {
    kind: 'etcd',
    endpoints: ['10.5.0.3:2379', '[fd00::3]:2379', '10.5.0.2:2379', '10.5.0.4:2379'],
    tls: { ca: 'ca crt', cert: 'admin crt', key: 'admin key' },
  });
  assert.deepEqual(planLink({ ...known, machineType: 'init' }), planLink(known));
});

test('planLink() connects a worker to the trustd of all possible control planes', () => {
  assert.deepEqual(planLink({ ...known, machineType: 'worker' }), {
    kind: 'trustd',
    endpoints: ['10.5.0.2', '10.5.0.3', '10.5.0.4', 'fd00::3', 'api.lab.example'].map((host) => ({
      host,
      port: 50_001,
    })),
    token: 'secret',
    acceptedCAs: ['os crt'],
  });
});

test('planLink() plans no connection while a fact is missing', () => {
  const worker: LinkFacts = { ...known, machineType: 'worker' };
  const facts: LinkFacts[] = [
    none,
    { ...known, own: undefined },
    { ...known, machineType: 'unknown' },
    { ...known, etcdRoot: undefined },
    { ...known, etcdSecrets: undefined },
    { ...worker, osRoot: undefined },
    { ...worker, endpoints: [] },
  ];
  assert.deepEqual(
    facts.map(planLink),
    facts.map(() => ({ kind: 'none' })),
  );
});
