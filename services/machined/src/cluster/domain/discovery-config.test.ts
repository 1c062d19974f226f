import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { clusterInfo, discoveryConfig } from './discovery-config.ts';

const config = (text: string) => effectiveConfig(loadConfiguration(text));

test('discoveryConfig() lists the discovery services and the key of the cluster', () => {
  const text = `apiVersion: v1alpha1
kind: DiscoveryServiceConfig
name: own
endpoint: http://discovery.example:3000/
---
apiVersion: v1alpha1
kind: DiscoveryServiceConfig
name: default
endpoint: https://discovery.talos.dev/
---
apiVersion: v1alpha1
kind: DiscoveryIdentityConfig
clusterID: the-cluster
clusterSecret: AQID
`;
  assert.deepEqual(discoveryConfig(config(text)), {
    discoveryEnabled: true,
    registryKubernetesEnabled: false,
    registryServiceEnabled: true,
    serviceEndpoint: 'discovery.example:3000',
    serviceEndpointInsecure: true,
    serviceEncryptionKey: Uint8Array.of(1, 2, 3),
    serviceClusterID: 'the-cluster',
    serviceEndpoints: [
      { name: 'own', endpoint: 'discovery.example:3000', insecure: true },
      { name: 'default', endpoint: 'discovery.talos.dev:443', insecure: false },
    ],
  });
});

test('discoveryConfig() of a configuration without discovery has no endpoints', () => {
  const spec = discoveryConfig(config('version: v1alpha1\nmachine: { type: worker }\n'));
  assert.deepEqual([spec.discoveryEnabled, spec.serviceEndpoint, spec.serviceEndpoints], [false, '', []]);
});

test('clusterInfo() returns the id and the name of the cluster if the configuration sets them', () => {
  const named = config('version: v1alpha1\ncluster: { id: aWQ=, clusterName: lab }\n');
  assert.deepEqual(clusterInfo(named), { clusterId: 'aWQ=', clusterName: 'lab' });
  assert.equal(
    clusterInfo(config('apiVersion: v1alpha1\nkind: EventSinkConfig\nendpoint: a:1\n')),
    undefined,
  );
});
