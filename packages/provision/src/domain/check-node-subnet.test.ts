import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNodeSubnet } from './check-node-subnet.ts';

test('nodes of Kubernetes get no addresses of pods and services', () => {
  for (const cidr of ['10.5.0.0/24', '10.95.255.0/24', '10.112.0.0/24', '10.245.0.0/24', '192.168.7.0/24'])
    checkNodeSubnet(cidr, []);
  const refusal = (cidr: string, what: string) => ({
    kind: 'invalid-argument',
    message: `the addresses ${cidr} of nodes are among those of Kubernetes ${what}: use another --cidr, or set other subnets with --config-patch`,
  });
  for (const cidr of ['10.96.0.0/24', '10.111.255.0/24'])
    assert.throws(() => checkNodeSubnet(cidr, []), refusal(cidr, 'services (10.96.0.0/12)'));
  for (const cidr of ['10.244.0.0/24', '10.244.255.0/24'])
    assert.throws(() => checkNodeSubnet(cidr, ['machine: {}']), refusal(cidr, 'pods (10.244.0.0/16)'));
});

test('patches that set other subnets are not checked', () => {
  checkNodeSubnet('10.244.0.0/24', ['cluster: { network: { podSubnets: [10.20.0.0/16] } }']);
});
