import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { chooseNodeIps, nodeIpConfigFrom } from './node-ips.ts';

const configOf = (...documents: string[]) =>
  nodeIpConfigFrom(effectiveConfig(loadConfiguration(documents.join('---\n'))), []);
const network = (pods: string, services: string) =>
  `apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [${pods}]\nserviceSubnets: [${services}]\n`;

test('nodeIpConfigFrom() takes every address of the families that services have', () => {
  assert.deepEqual(configOf(network('10.244.0.0/16', '10.96.0.0/12')), {
    validSubnets: ['0.0.0.0/0'],
    excludeSubnets: ['10.244.0.0/16', '10.96.0.0/12'],
  });
  assert.deepEqual(
    configOf(network('10.244.0.0/16, "fd00:1::/56"', '10.96.0.0/12, "fd00:2::/112"')).validSubnets,
    ['0.0.0.0/0', '::/0'],
  );
});

test('nodeIpConfigFrom() takes the subnets of the configuration', () => {
  const node =
    'apiVersion: v1alpha1\nkind: KubeNodeConfig\nnodeIP: { validSubnets: [10.5.0.0/16, "!10.5.0.9/32"] }\n';
  assert.deepEqual(configOf(network('10.244.0.0/16', '10.96.0.0/12'), node).validSubnets, [
    '10.5.0.0/16',
    '!10.5.0.9/32',
  ]);
});

test('a virtual address is never the address of a node', () => {
  const documents = loadConfiguration(network('10.244.0.0/16', '10.96.0.0/12'));
  const config = nodeIpConfigFrom(effectiveConfig(documents), ['10.5.0.1']);
  assert.deepEqual(chooseNodeIps(config, ['10.5.0.1/32', '10.5.0.2/24']), ['10.5.0.2']);
});

test('chooseNodeIps() takes the first matching address of each family', () => {
  const config = { validSubnets: ['0.0.0.0/0', '::/0'], excludeSubnets: ['10.244.0.0/16'] };
  const addresses = ['10.244.0.1/24', 'fd00::5/64', '10.5.0.2/24', '10.5.0.3/24', 'fd00::6/64'];
  assert.deepEqual(chooseNodeIps(config, addresses), ['10.5.0.2', 'fd00::5']);
  assert.deepEqual(chooseNodeIps({ ...config, validSubnets: ['10.5.0.0/24', '!10.5.0.2/32'] }, addresses), [
    '10.5.0.3',
  ]);
  assert.deepEqual(chooseNodeIps({ ...config, validSubnets: ['!fd00::/64'] }, addresses), ['10.5.0.2']);
  assert.deepEqual(chooseNodeIps({ ...config, validSubnets: ['192.0.2.0/24'] }, addresses), []);
});
